/** Scripts that run inside the page, as text: what is compiled with Node's types must not know a document. */

/**
 * A device clock that is wrong and can be set while the page is open (`setDeviceClock(shiftMs)`): `Date` and
 * `performance.timeOrigin` follow it, `performance.now` does not, as on a real device.
 */
export const deviceClock = (shiftMs: number): string => `(() => {
  const Real = Date;
  let shiftMs = ${shiftMs};
  globalThis.setDeviceClock = (ms) => { shiftMs = ms; };
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + shiftMs);
      else super(...given);
    }
    static now() { return Real.now() + shiftMs; }
  };
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs });
})()`;

/** Says aloud every breach of the content security policy, and keeps the page's own events with their details. */
export const watchPage = `(() => {
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error('CSP violation: ' + event.violatedDirective + ' ' + event.blockedURI);
  });
  globalThis.pageEvents = [];
  for (const name of ['state', 'order', 'paid', 'refused']) {
    document.addEventListener('doorbuster:' + name, (event) => {
      globalThis.pageEvents.push({ name, detail: JSON.parse(JSON.stringify(event.detail ?? null)) });
    }, true);
  }
})()`;

/** How far the page can be scrolled sideways, in pixels. */
export const sidewaysPx = `(() => {
  const root = document.scrollingElement;
  return root.scrollWidth - root.clientWidth;
})()`;

/** What a screen reader would have been told last: the text of all live regions, in the page and in the shadow root. */
export const liveText = `(() => {
  const roots = [document, ...[...document.querySelectorAll('doorbuster-sale')].map((each) => each.shadowRoot)];
  const found = roots.flatMap((root) => [...(root?.querySelectorAll('[aria-live], [role=status], [role=alert]') ?? [])]);
  return found.filter((each) => each.getAttribute('aria-live') !== 'off').map((each) => each.textContent.trim()).join(' ').trim();
})()`;

/** Animations and transitions that run now or wait to run, in the page and in the shadow root. */
export const movingThings = `(() => {
  const roots = [document, ...[...document.querySelectorAll('doorbuster-sale')].map((each) => each.shadowRoot)];
  return roots.flatMap((root) => root.getAnimations()).filter((each) => each.playState === 'running').length;
})()`;

/** Everything that the browser keeps for this origin, as one text. */
export const keptText = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])`;
