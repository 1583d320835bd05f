import { readdir, readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../platform/errors.ts'
import type { HostedServer } from './hosted-server.ts'
import type { Place } from './place.ts'
import type { ProgramSpec } from './program-spec.ts'

const pageBytes = 4096

/** Resident memory of processes with all their descendants, in bytes; empty where there is no /proc. */
async function memoryOfTrees(roots: readonly number[]): Promise<Map<number, number>> {
	const processes = await readProcesses()
	const children = Map.groupBy(processes.values(), ({ parent }) => parent)
	const sizeOf = (pid: number): number =>
		(children.get(pid) ?? []).reduce((sum, child) => sum + sizeOf(child.pid), processes.get(pid)?.bytes ?? 0)
	return new Map(roots.filter((pid) => processes.has(pid)).map((pid) => [pid, sizeOf(pid)]))
}

interface ProcessFigures {
	pid: number
	parent: number
	bytes: number
}

async function readProcesses(): Promise<Map<number, ProcessFigures>> {
	const names = await readdir('/proc').catch(() => [])
	const read = names.filter((name) => /^\d+$/.test(name)).map((name) => readProcess(Number(name)))
	return new Map((await Promise.all(read)).flatMap((one) => (one ? [[one.pid, one] as const] : [])))
}

/** The name in the second field may hold spaces and brackets, so fields are counted from its end. */
async function readProcess(pid: number): Promise<ProcessFigures | null> {
	const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
	return fields.length < 22 ? null : { pid, parent: Number(fields[1]), bytes: Number(fields[21]) * pageBytes }
}

export interface HeldOptions {
	/** What a server's program is now; null when it is not to run. Throws a `Problem` that says why it may not. */
	specOf(serverId: string): ProgramSpec | null
	open(spec: ProgramSpec): Promise<Place>
	memoryBytes: number
}

/** The places that are open, one for each server whose program is in use. */
export class ProgramsHeld {
	readonly #options: HeldOptions
	readonly #places = new Map<string, Place>()
	/** Starting is shared by those who come at once. */
	readonly #opening = new Map<string, Promise<Place>>()

	constructor(options: HeldOptions) {
		this.#options = options
	}

	get(serverId: string): HostedServer | undefined {
		return this.#places.get(serverId)?.server
	}

	/** How many processes run. */
	count(): number {
		return [...this.#places.values()].reduce((sum, { server }) => sum + server.running.size, 0)
	}

	/** The server as it is configured now; one that was configured otherwise is ended. */
	async serverFor(serverId: string): Promise<HostedServer> {
		const spec = this.#options.specOf(serverId)
		if (!spec) throw new Problem('upstream_unreachable', 'The program is switched off.')
		const known = this.get(serverId)
		if (known && isDeepStrictEqual(known.spec, spec)) return known
		if (known) await this.letGo(serverId)
		const opening = this.#opening.get(serverId) ?? this.#open(spec)
		return (await opening).server
	}

	/** Ends the program of a server; to be called for one that is not open too. */
	async letGo(serverId: string): Promise<void> {
		await this.#opening.get(serverId)?.catch(() => {})
		const place = this.#places.get(serverId)
		this.#places.delete(serverId)
		await place?.release()
	}

	/** Ends what is no longer wanted, idle, or larger than it may be. */
	async sweep(): Promise<void> {
		for (const [serverId, { server }] of this.#places) {
			if (!this.#isWanted(server.spec)) await this.letGo(serverId)
			else server.reap()
		}
		await this.#endLargeOnes()
	}

	async close(): Promise<void> {
		await Promise.all([...this.#places.keys(), ...this.#opening.keys()].map((id) => this.letGo(id)))
	}

	#open(spec: ProgramSpec): Promise<Place> {
		const { serverId } = spec
		const opening = this.#options
			.open(spec)
			.then((place) => {
				this.#places.set(serverId, place)
				return place
			})
			.finally(() => this.#opening.delete(serverId))
		this.#opening.set(serverId, opening)
		return opening
	}

	#isWanted(spec: ProgramSpec): boolean {
		try {
			return isDeepStrictEqual(this.#options.specOf(spec.serverId), spec)
		} catch {
			return false
		}
	}

	async #endLargeOnes(): Promise<void> {
		const { memoryBytes } = this.#options
		const running = [...this.#places.values()].flatMap(({ server }) => [...server.running])
		const pids = running.flatMap(({ process }) => process.pid ?? [])
		if (pids.length === 0) return
		const memory = await memoryOfTrees(pids)
		for (const { process } of running)
			if ((memory.get(process.pid ?? 0) ?? 0) > memoryBytes)
				process.kill(`used more than ${memoryBytes} bytes of memory`)
	}
}
