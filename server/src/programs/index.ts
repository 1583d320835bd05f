export type { LogLine } from './log-ring.ts'
export { openPrograms, type ProgramStatus, type Programs } from './open-programs.ts'
export { createProgramDispatcher, programUrl } from './program-dispatcher.ts'
export type { InstalledPackage, ProgramLimits, ProgramSpec } from './program-spec.ts'
