/** Whether a body is what we take: `application/json`, at most with `charset=utf-8` (RFC 8259 knows no other). */
const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?;?$/i;

export const isJsonType = (contentType: string | undefined): boolean =>
  contentType !== undefined && (contentType === 'application/json' || JSON_TYPE.test(contentType.trim()));
