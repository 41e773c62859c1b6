/** What a case is, and how most of them run: on a fresh subject, one sale, books looked at in the end. */
import { Stage, type StageParts } from './stage.ts';
import type { Capability, Factory } from './subject.ts';

export interface ConformanceCase {
  /** `group: what must hold`. */
  readonly name: string;
  readonly needs: readonly Capability[];
  readonly run: (factory: Factory) => Promise<void>;
}

interface StagedParts extends StageParts {
  readonly needs?: readonly Capability[];
}

/** A case about one sale. */
export function onStage(name: string, parts: StagedParts, body: (stage: Stage) => Promise<void>): ConformanceCase {
  const run = async (factory: Factory) => {
    const subject = await factory();
    try {
      const stage = await Stage.open(subject, parts);
      await body(stage);
      await stage.settle();
    } finally {
      await subject.close();
    }
  };
  return { name, needs: parts.needs ?? [], run };
}
