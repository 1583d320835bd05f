export {
	alone,
	openPrimaryProcesses,
	openWorkerProcesses,
	type Pipe,
	type PrimaryProcesses,
	type Processes,
	primary,
	processGone,
} from './processes.ts'
export { WatchedWorkspaces } from './watched-workspaces.ts'
