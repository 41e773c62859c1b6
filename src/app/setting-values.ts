/** How the text of a setting is read, by kind: the value, or what would have been allowed. Knows no setting. */
import { isIP } from 'node:net';

export type Reading<T> = { readonly value: T } | { readonly allowed: string };

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): Reading<number> => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? { value } : { allowed: `a whole number from ${least} to ${most}` };
  };

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;

/** An address to listen on. A name of nothing but digits and dots is a mistyped address. */
export const isHost = (text: string): Reading<string> =>
  isIP(text) !== 0 || (HOST_NAME.test(text) && !/^[\d.]+$/.test(text))
    ? { value: text }
    : { allowed: 'an IP address or a host name' };

const parsedHttp = (text: string): URL | null => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
};

export const httpUrl = (text: string): Reading<string | null> => {
  const url = parsedHttp(text);
  return url === null || url.username !== '' || url.password !== ''
    ? { allowed: 'an http:// or https:// address without user and password' }
    : { value: url.href };
};

/** As a browser sends it: scheme, host and port, nothing behind. */
export const httpOrigin = (text: string): Reading<string> =>
  parsedHttp(text)?.origin === text ? { value: text } : { allowed: 'origins like https://shop.example' };

const PREFIX_BITS = { 4: 32, 6: 128 } as const;

/** `10.0.0.0/8`, `::1`, `192.0.2.7`. */
export function addressRange(text: string): Reading<string> {
  const [address = '', bits, more] = text.split('/');
  const version = isIP(address);
  const bitsMax = version === 4 || version === 6 ? PREFIX_BITS[version] : -1;
  const bitsFit = bits === undefined || 'value' in wholeNumber(0, bitsMax)(bits);
  return version !== 0 && bitsFit && more === undefined
    ? { value: text }
    : { allowed: 'IP addresses or ranges like 10.0.0.0/8' };
}
