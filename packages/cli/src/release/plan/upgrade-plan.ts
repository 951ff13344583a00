import type { ReleaseManifest } from '../manifest.ts';
import type { ReleaseOptions } from '../source.ts';
import type { UpgradeFinding } from './finding.ts';

export interface PlanOptions extends ReleaseOptions {
  /** Product version; from the registry or a manifest. Excludes `from`. */
  readonly to?: string;
  /** Folder with package.json and lock file of the target. */
  readonly from?: string;
  /** File of a release manifest. */
  readonly manifest?: string;
}

/** Where the files of the target come from. */
type UpgradeTarget = { readonly kind: 'version' } | { readonly kind: 'folder'; readonly folder: string };

export interface UpgradePlan {
  /** Product version that is installed. */
  readonly from: string;
  readonly to: string;
  readonly target: UpgradeTarget;
  readonly manifest: ReleaseManifest;
  /** Package versions of the target that differ from the installed ones. */
  readonly packages: readonly { readonly name: string; readonly from: string | null; readonly to: string | null }[];
  /** Migrations that haven't run, core first. `null`: the database wasn't reachable. */
  readonly migrations: readonly { readonly owner: string; readonly name: string }[] | null;
  /** Names of the codemods that apply. */
  readonly codemods: readonly string[];
  readonly findings: readonly UpgradeFinding[];
  /** 0 nothing to do first · 1 a required stop or a downgrade · 3 findings · 4 the licence doesn't cover the target. */
  readonly exit: 0 | 1 | 3 | 4;
}
