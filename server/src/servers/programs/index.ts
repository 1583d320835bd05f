export { InstallFailure } from './install/install-package.ts'
export { openPrograms, type Programs, type ProgramsOptions } from './open-programs.ts'
export { createProgramDispatcher, programUrl } from './program-dispatcher.ts'
export type { InstalledPackage, ProgramSpec } from './program-spec.ts'
