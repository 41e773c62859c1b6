/** What `npm test` does about programs that are not there: used, installed, or said in words. */
import { describe, expect, it } from 'vitest';
import { needs, obtain } from '../../scripts/lib/obtain.mjs';

/** @param {Partial<import('../../scripts/lib/obtain.mjs').Need>} [part] */
const need = (part) => ({ binary: 'tool', works: ['--version'], packages: ['tool-deb'], neededBy: 'test/x', ...part });

/** A machine with some programs; installing a package brings the program of the same name without `-deb`. */
const machine = (/** @type {string[]} */ programs, /** @type {{ isRoot: boolean, aptWorks?: boolean }} */ options) => {
  const has = new Set(programs);
  /** @type {string[]} */
  const performed = [];
  return {
    performed,
    isRoot: options.isRoot,
    works: (/** @type {string[]} */ [program = '']) => has.has(program),
    perform: (/** @type {string[]} */ command) => {
      performed.push(command.slice(0, 2).join(' '));
      if (command[1] !== 'install' || options.aptWorks === false) return;
      for (const name of command) has.add(name.replace('-deb', ''));
    },
  };
};

describe('obtain', () => {
  it('uses what is there, and touches nothing', () => {
    const system = machine(['tool'], { isRoot: true });
    expect(obtain([need()], system)).toEqual({ ready: true, installed: [] });
    expect(system.performed).toEqual([]);
  });

  it('updates once and installs all that is missing in one go', () => {
    const system = machine(['apt-get'], { isRoot: true });
    const wanted = [need(), need({ binary: 'other', packages: ['other-deb', 'extra'] })];
    expect(obtain(wanted, system)).toEqual({ ready: true, installed: ['tool-deb', 'other-deb', 'extra'] });
    expect(system.performed).toEqual(['apt-get update', 'apt-get install']);
  });

  const lacking = [
    { why: 'this is not root', programs: ['apt-get'], options: { isRoot: false } },
    { why: 'there is no apt-get', programs: [], options: { isRoot: true } },
    { why: 'could not bring them', programs: ['apt-get'], options: { isRoot: true, aptWorks: false } },
  ];
  for (const { why, programs, options } of lacking) {
    it(`says in one screen what is missing and how to get it: ${why}`, () => {
      const got = obtain([need()], machine(programs, options));
      if (got.ready) throw new Error('it must not be ready');
      expect(got.message).toContain(why);
      expect(got.message).toContain('test/x');
      expect(got.message).toContain('apt-get install -y tool-deb');
      expect(got.message.split('\n').length).toBeLessThan(24);
    });
  }

  it('names what is missing, not the program that found it out', () => {
    const got = obtain([need({ name: 'Chinese fonts', binary: 'sh' })], machine([], { isRoot: false }));
    expect(got).toMatchObject({ ready: false, message: expect.stringMatching(/Chinese fonts +test\/x/) });
  });

  it('asks for nothing twice', () => {
    const names = needs.map(({ name, binary }) => name ?? binary);
    expect(new Set(names).size).toBe(names.length);
  });
});
