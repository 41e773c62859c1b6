/** The first value of a query parameter, straight from the request's address: no URL object on the hot path. */
export function queryValue(url: string, name: string): string {
  let at = url.indexOf('?');
  while (at >= 0) {
    const next = url.indexOf('&', at + 1);
    const from = at + 1;
    if (url.startsWith(name, from) && url[from + name.length] === '=')
      return decoded(url.slice(from + name.length + 1, next < 0 ? url.length : next));
    at = next;
  }
  return '';
}

/** A value that is not properly encoded is not any value. */
function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return '';
  }
}
