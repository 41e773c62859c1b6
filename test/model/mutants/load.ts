/**
 * Loads `decide` from a copy of src/core in a temporary folder, with one change made to the text of one file. The
 * copy is JavaScript, made by the compiler file by file, so that it loads the same under a test runner and without.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import type { Rules } from '../simulate.ts';
import type { Mutant } from './mutants.ts';

const core = path.join(import.meta.dirname, '../../../src/core');

const compiled = (source: string): string =>
  ts.transpileModule(source, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText;

export class CoreCopies {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'doorbuster-mutants-'));
  readonly #sources = new Map<string, string>();
  readonly #compiled = new Map<string, string>();
  #copies = 0;

  constructor() {
    writeFileSync(path.join(this.#folder, 'package.json'), JSON.stringify({ type: 'module' }));
    for (const file of readdirSync(core, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
      const source = readFileSync(path.join(core, file), 'utf8');
      this.#sources.set(file.replaceAll(path.sep, '/'), source);
      this.#compiled.set(file.replaceAll(path.sep, '/'), compiled(source));
    }
  }

  /** `decide` as it is. */
  asItIs(): Promise<Rules> {
    return this.#load(this.#compiled);
  }

  /** `decide` with the mutant's fault. Throws where its text is not there, or not once. */
  async with({ name, file, find, replace }: Mutant): Promise<Rules> {
    const source = this.#sources.get(file);
    const found = source?.split(find).length ?? 0;
    if (source === undefined || found !== 2)
      throw new Error(
        `mutant "${name}": its text stands ${Math.max(0, found - 1)} times in src/core/${file}, not once`,
      );
    return this.#load(new Map(this.#compiled).set(file, compiled(source.replace(find, () => replace))));
  }

  async #load(files: ReadonlyMap<string, string>): Promise<Rules> {
    const folder = path.join(this.#folder, String(++this.#copies));
    for (const [file, text] of files) {
      const target = path.join(folder, file.replace(/\.ts$/, '.js'));
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
    const module = (await import(/* @vite-ignore */ pathToFileURL(path.join(folder, 'decide.js')).href)) as {
      decide: NonNullable<Rules>;
    };
    return module.decide;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
