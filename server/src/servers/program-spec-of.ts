import type { Sealer } from '../platform/crypto/seal.ts'
import type { InstalledPackage, ProgramSpec } from './programs/index.ts'
import { openEnv } from './programs.ts'
import type { ServerRow } from './server-repository.ts'

/** Who accepted that a program runs, with their data at that time. */
export interface Acceptance {
	by: string
	name: string
	at: number
	sentence: string
	/** Fingerprint of what was accepted. Acceptances from before fingerprints lack it and are no longer valid. */
	fingerprint?: string
	withoutSandbox?: boolean
}

/** A program, the fingerprint of everything that decides which code it runs, and its valid acceptance. */
export interface ProgramWithAcceptance {
	spec: ProgramSpec
	fingerprint: string
	acceptance: Acceptance | null
}

/** What to run for a stored server; null for one with a URL. Throws if its environment does not open. */
export function programSpecOf(
	row: ServerRow,
	sealer: Sealer,
	readable: readonly string[],
): ProgramWithAcceptance | null {
	if (row.hosting_mode !== 'hosted') return null
	const args = JSON.parse(row.args) as string[]
	const installed = row.package === null ? null : (JSON.parse(row.package) as InstalledPackage)
	const env = openEnv(sealer, row)
	const fingerprint = fingerprintOf(sealer, {
		...{ id: row.id, command: row.command, args, package: installed, readable },
		env: Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1)),
	})
	const stored = row.unsandboxed === null ? null : (JSON.parse(row.unsandboxed) as Acceptance)
	const acceptance = stored?.fingerprint === fingerprint ? stored : null
	const spec: ProgramSpec = {
		serverId: row.id,
		command: row.command,
		args: parsePackageCommand(row.command, args)?.args ?? args,
		env,
		allowedHosts: JSON.parse(row.allowed_hosts) as string[],
		accepted: acceptance && (acceptance.withoutSandbox ? 'without a sandbox' : 'in a sandbox'),
		restartedAtMs: row.restarted_at,
		package: installed,
	}
	return { spec, fingerprint, acceptance }
}

/** A keyed hash, since it covers the values of the environment and is shown to people who may not read them. */
function fingerprintOf(sealer: Sealer, program: object): string {
	return sealer.mac('program', JSON.stringify(program)).slice(0, 32)
}

/** The npm package in a command, and the arguments for its program. */
interface PackageCommand {
	name: string
	/** An exact version, a range or a tag; `latest` if none was given. */
	range: string
	args: string[]
}

const plainPackage = /^(@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/i
const flags = new Set(['-y', '--yes', '-q', '--quiet'])

/**
 * Parses `npx [-y] name[@version] args…`; null for any other command. Only registry names are accepted: with a URL, a path or a
 * repository instead, the installation could fetch anything.
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
