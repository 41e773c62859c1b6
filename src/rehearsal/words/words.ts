/** Which languages a rehearsal speaks: every one has the same words, by type. */
import { en } from './en.ts';
import { zh } from './zh.ts';

export type Words = typeof en;

const LANGUAGES = { en, zh } as const;
export type Language = keyof typeof LANGUAGES;
export const languages = Object.keys(LANGUAGES) as Language[];

export const wordsOf = (language: Language): Words => LANGUAGES[language];

/** The language of a locale like `zh_CN.UTF-8`; English for all that we do not speak. */
export const languageOf = (locale: string): Language =>
  languages.find((language) => new RegExp(`^${language}(?:[_.@-]|$)`, 'i').test(locale)) ?? 'en';
