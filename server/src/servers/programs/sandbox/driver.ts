/** What a driver is to start: a command with everything that it may see. */
export interface Launch {
	file: string
	args: readonly string[]
	env: Readonly<Record<string, string>>
	/** Its own directory, the only one that it may write to; absolute. */
	home: string
	/** Directories that it may read; absolute. */
	readable: readonly string[]
	/** The installed package, or null. */
	packageDir: string | null
	/** Socket of the proxy that is its only way out, or null for none. */
	egressSocket: string | null
	memoryBytes: number
	processes: number
	/** Scratch files that the driver makes for this program lie here. */
	runDir: string
	serverId: string
}

/** A command for `spawn`. */
export interface Command {
	file: string
	args: string[]
	env: Record<string, string>
	cwd: string
	/** What it reads from descriptor 4: what nobody may see in its arguments, which the whole machine can read. */
	input?: string
}

/** How a program is kept from what is not its own. */
export interface SandboxDriver {
	readonly kind: 'bubblewrap' | 'none'
	/** Where the program sees its package. */
	packagePath(packageDir: string): string
	wrap(launch: Launch): Command
}
