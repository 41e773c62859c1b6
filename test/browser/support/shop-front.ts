/** A tiny static server on a port of its own: the shop's page around the component, or the pictures that a sale names. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ShopFront {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** `files`: content type and text by path; they may be changed while it runs. */
export async function startShopFront(files: Map<string, readonly [type: string, text: string]>): Promise<ShopFront> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    asked.push(pathname);
    const [type, text] = files.get(pathname) ?? ['text/plain', 'not here'];
    response.writeHead(files.has(pathname) ? 200 : 404, { 'content-type': type });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A picture without a file: a shirt on a ground, in the colours given. */
export const shirtSvg = (ground: string, cloth: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><rect width="400" height="300" fill="${ground}"/>
<path d="M140 70l60 25 60-25 55 45-30 40-25-18v113H140V137l-25 18-30-40z" fill="${cloth}"/></svg>`;
