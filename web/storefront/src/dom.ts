/**
 * Makes what is on the page equal to what a view describes, and touches nothing that already is: what has the focus keeps
 * it, what was typed stays. Children are matched in order, by tag and `k`. Text is text, never markup; no style
 * attribute is written, so that the page works under a strict content security policy.
 */

export interface Described {
  readonly tag: string;
  readonly props: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly kids: readonly Kid[];
}
export type Kid = Described | string | null | undefined | false;

export const h = (tag: string, props: Described['props'] | null, ...kids: Kid[]): Described => ({
  tag,
  props: props?.['k'] !== undefined && props['class'] === undefined ? { ...props, class: props['k'] } : (props ?? {}),
  kids,
});

const keyOf = (node: Node): string | null => (node as Element & { k?: string }).k ?? null;

export function show(parent: Node, kids: readonly Kid[]): void {
  let at = parent.firstChild;
  for (const kid of kids) {
    if (kid === null || kid === undefined || kid === false) continue;
    let found: Node | null = at;
    while (found !== null && !fits(found, kid)) found = found.nextSibling;
    if (found === null) {
      found = typeof kid === 'string' ? document.createTextNode(kid) : document.createElement(kid.tag);
      if (typeof kid !== 'string') Object.assign(found, { k: String(kid.props.k ?? '') });
      parent.insertBefore(found, at);
    } else {
      while (at !== null && at !== found) at = removed(at);
      at = found.nextSibling;
    }
    if (typeof kid !== 'string') dress(found as Element, kid);
    else if (found.nodeValue !== kid) found.nodeValue = kid;
  }
  while (at !== null) at = removed(at);
}

const fits = (node: Node, kid: Described | string): boolean =>
  typeof kid === 'string'
    ? node.nodeType === 3
    : node.nodeName.toLowerCase() === kid.tag && keyOf(node) === String(kid.props.k ?? '');

function removed(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}

function dress(element: Element, { props, kids }: Described): void {
  for (const [name, value] of Object.entries(props)) {
    if (name === 'k') continue;
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value === true ? '' : value))
      element.setAttribute(name, String(value === true ? '' : value));
  }
  if (element.tagName !== 'TEXTAREA') show(element, kids);
}
