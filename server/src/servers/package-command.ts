/** A package of the npm registry that a command names, and what is left for its program. */
export interface PackageCommand {
	name: string
	/** An exact version, a range or a tag; `latest` when none was given. */
	range: string
	args: string[]
}

const plainPackage = /^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i
const flags = new Set(['-y', '--yes', '-q', '--quiet'])

/**
 * Reads `npx [-y] name[@version] args…`; null for any other command. Only names of the registry: an address, a path or a
 * repository in the place of a name would make the installation fetch what it likes.
 */
export function parsePackageCommand(command: string, args: readonly string[]): PackageCommand | null {
	if (!/^(.*\/)?npx$/.test(command)) return null
	const first = args.findIndex((arg) => !flags.has(arg))
	const spec = args[first] ?? ''
	const at = spec.lastIndexOf('@')
	const name = at > 0 ? spec.slice(0, at) : spec
	const range = at > 0 ? spec.slice(at + 1) : 'latest'
	if (!plainPackage.test(name) || !/^[\w.^~<>=*-]+$/.test(range)) return null
	return { name, range, args: args.slice(first + 1) }
}
