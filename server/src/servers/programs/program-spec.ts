/** The pinned package that was downloaded for a program. */
export interface InstalledPackage {
	name: string
	version: string
	/** Subresource integrity of the archive, as given by the registry and verified by npm. */
	integrity: string
	/** Its script, relative to the folder of the installation. */
	script: string
	/**
	 * SHA-256 of the lock file, which fixes the versions of its dependencies; absent for installations from before it was recorded.
	 */
	lock?: string
}

/** What to run for one MCP server. It contains opened secrets, so it must not appear in logs or responses. */
export interface ProgramSpec {
	serverId: string
	command: string
	args: readonly string[]
	env: Readonly<Record<string, string>>
	/** Hosts that the program may reach: `api.example.com` or `*.example.com`, with `:port` unless it is 80 or 443. */
	allowedHosts: readonly string[]
	/** How a person accepted this program: to run in a sandbox, or also without one; null: it must not start. */
	accepted: 'in a sandbox' | 'without a sandbox' | null
	/** When a person last restarted it, in ms; a changed value ends the running program. */
	restartedAtMs: number | null
	package: InstalledPackage | null
}

/** Limits for every program. */
export interface ProgramLimits {
	/** A program without requests for this long is ended; the next request starts it again. */
	idleMs: number
	/** Memory of a program including all its children. */
	memoryBytes: number
	/** Number of processes and threads of a program. */
	processes: number
	/** Number of programs running at the same time. */
	programs: number
	/** Maximum length of a line on its standard output. */
	lineBytes: number
	/** Time between asking it to end and killing it. */
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
