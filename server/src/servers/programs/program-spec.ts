/** A package that was downloaded for a program, pinned. */
export interface InstalledPackage {
	name: string
	version: string
	/** Subresource integrity of the archive, as the registry gave it and npm checked it. */
	integrity: string
	/** Its script, relative to the folder of the installation. */
	script: string
	/** SHA-256 of the lock file: which versions of its dependencies came with it; absent for what was installed before it was noted. */
	lock?: string
}

/** What to run for one MCP server: opened secrets, so never for logs or answers. */
export interface ProgramSpec {
	serverId: string
	command: string
	args: readonly string[]
	env: Readonly<Record<string, string>>
	/** Hosts that the program may reach, `api.example.com` or `*.example.com`, with `:port` unless it is 80 or 443. */
	allowedHosts: readonly string[]
	/** Whether somebody accepted it as it is here: to run in a sandbox, or also where there is none; null: it may not start. */
	accepted: 'in a sandbox' | 'without a sandbox' | null
	/** When somebody last had it started again, in ms; another value ends what runs. */
	restartedAtMs: number | null
	package: InstalledPackage | null
}

/** Bounds of every program. */
export interface ProgramLimits {
	/** Without a request for so long, a program is ended; the next request starts it again. */
	idleMs: number
	/** Memory of a program with all its children. */
	memoryBytes: number
	/** Processes and threads of a program. */
	processes: number
	/** Programs that run at once. */
	programs: number
	/** Longest line on its standard output. */
	lineBytes: number
	/** Between a request to end and the kill. */
	graceMs: number
}

export const defaultProgramLimits: ProgramLimits = {
	idleMs: 300_000,
	memoryBytes: 1024 ** 3,
	processes: 256,
	programs: 100,
	lineBytes: 32 * 1024 * 1024,
	graceMs: 2000,
}
