import type { Dispatcher } from 'undici'
import { DispatcherBase } from '../../platform/undici.ts'
import type { Programs } from './open-programs.ts'

export { InstallFailure } from './install/install-package.ts'
export { openPrograms, type Programs, type ProgramsOptions } from './open-programs.ts'
export type { InstalledPackage, ProgramSpec } from './program-spec.ts'

/** The address of a server's program, inside this process only: no address that users can register has this scheme. */
export function programUrl(serverId: string): string {
	return `program://${serverId}/`
}

/** Sends requests for `program://…` to programs and all others to `next`. */
export function createProgramDispatcher(
	programs: Pick<Programs, 'exchange'>,
	next: Dispatcher,
	isProbe = false,
): Dispatcher {
	return new ProgramDispatcher(programs, next, isProbe)
}

class ProgramDispatcher extends DispatcherBase {
	readonly #programs: Pick<Programs, 'exchange'>
	readonly #next: Dispatcher
	readonly #isProbe: boolean

	constructor(programs: Pick<Programs, 'exchange'>, next: Dispatcher, isProbe: boolean) {
		super()
		this.#programs = programs
		this.#next = next
		this.#isProbe = isProbe
	}

	override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
		const origin = String(options.origin)
		if (!origin.startsWith('program://')) return this.#next.dispatch(options, handler)
		const request = {
			method: options.method,
			headers: headersOf(options.headers),
			body: typeof options.body === 'string' ? options.body : '',
			idleMs: options.headersTimeout ?? 0,
			isProbe: this.#isProbe,
		}
		this.#programs.exchange(origin.slice('program://'.length), request, handler)
		return true
	}
}

function headersOf(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
	const given = Object.entries((headers ?? {}) as Record<string, unknown>)
	return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]))
}
