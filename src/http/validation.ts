/**
 * Validation by typebox, the same for the hot path and the rest, and what a client is told about a fault: one JSON
 * pointer and one sentence each, made from the schema. Values are never changed, and never repeated in a message.
 */
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export interface Fault {
  readonly path: string;
  readonly message: string;
}

export interface Validator<T> {
  check(value: unknown): value is T;
  /** What is wrong with a value that `check` refused; never empty. */
  faults(value: unknown): readonly Fault[];
}

/** More would help nobody; a body of a megabyte could have as many faults as it has fields. */
const FAULTS_MAX = 20;

export function validatorOf<S extends TSchema>(schema: S): Validator<Static<S>> {
  const compiled = Compile(schema);
  return {
    check: (value): value is Static<S> => compiled.Check(value),
    faults: (value) => {
      const found = new Map<string, string>();
      for (const error of compiled.Errors(value) as Iterable<SchemaError>)
        for (const { path, message } of faultsOf(error, schema))
          if (!isBelowUnion(error)) setOnce(found, path, message);
      const faults = Array.from(found, ([path, message]) => ({ path, message }));
      return faults.length > 0 ? faults.slice(0, FAULTS_MAX) : [{ path: '', message: 'is not valid' }];
    },
  };
}

interface SchemaError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: {
    readonly requiredProperties?: readonly string[];
    readonly additionalProperties?: readonly string[];
  };
}

function setOnce(found: Map<string, string>, path: string, message: string): void {
  if (!found.has(path)) found.set(path, message);
}

/** A union says once what it takes; what its branches missed says nothing more. */
const isBelowUnion = (error: SchemaError): boolean => error.schemaPath.includes('/anyOf/');

function faultsOf(error: SchemaError, schema: TSchema): Fault[] {
  const path = shownPath(error.instancePath);
  switch (error.keyword) {
    case 'required':
      return (error.params.requiredProperties ?? []).map((name) => ({
        path: `${path}/${name}`,
        message: 'is required',
      }));
    case 'additionalProperties':
      return (error.params.additionalProperties ?? []).map((name) =>
        isFieldName(name)
          ? { path: `${path}/${name}`, message: 'is not a known field' }
          : { path, message: 'has a field that is not known' },
      );
    case 'boolean':
      return [];
    default:
      return [{ path, message: `must be ${describe(nodeAt(schema, error.schemaPath))}` }];
  }
}

/** Names as a person writes them. Anything else could be a secret that slipped into the wrong place. */
const isFieldName = (name: string): boolean => /^[A-Za-z]{1,20}$/.test(name);

const shownPath = (pointer: string): string =>
  pointer
    .split('/')
    .map((part) => (part === '' || /^\d{1,4}$/.test(part) || isFieldName(part) ? part : '*'))
    .join('/');

type Node = Readonly<Record<string, unknown>>;

function nodeAt(schema: TSchema, schemaPath: string): Node {
  let node = schema as Node;
  for (const part of schemaPath.split('/').slice(1)) {
    const next = node[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    if (typeof next !== 'object' || next === null) break;
    node = next as Node;
  }
  return node;
}

/** What a schema takes, in words. */
function describe(node: Node): string {
  const branches = node.anyOf;
  if (Array.isArray(branches)) return branches.map((branch: Node) => describe(branch)).join(' or ');
  const choices = node.enum;
  if (Array.isArray(choices)) return `one of ${choices.join(', ')}`;
  if ('const' in node) return JSON.stringify(node.const);
  const range = (min: string, max: string) => between(node[min], node[max]);
  switch (node.type) {
    case 'integer':
      return `an integer${range('minimum', 'maximum')}`;
    case 'number':
      return `a number${range('minimum', 'maximum')}`;
    case 'string':
      return `text${range('minLength', 'maxLength')}${typeof node.description === 'string' ? ` (${node.description})` : ''}`;
    case 'array':
      return `a list${range('minItems', 'maxItems')}`;
    case 'object':
      return node.minProperties === undefined ? 'an object' : 'an object with at least one field';
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    default:
      return 'something else';
  }
}

function between(min: unknown, max: unknown): string {
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return ` of at least ${min}`;
  return min === undefined ? ` of at most ${max}` : ` from ${min} to ${max}`;
}
