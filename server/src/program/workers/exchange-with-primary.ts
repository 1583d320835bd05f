import type { ProblemCode } from '@signalbox/contract'
import type { Dispatcher } from 'undici'
import { Problem } from '../../platform/errors.ts'
import { Agent } from '../../platform/undici.ts'
import type { Programs } from '../../servers/programs/index.ts'
import type { BusAddress } from './bus.ts'
import { busHeaders } from './bus-headers.ts'

export interface ProgramsOfPrimary {
	exchange: Programs['exchange']
	close(): Promise<void>
}

/** The way to hosted programs for a worker: they run in the primary alone. */
export function openProgramsOfPrimary({ socketPath, key }: BusAddress): ProgramsOfPrimary {
	// The primary judges how long a program may be silent.
	const agent = new Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 })
	return {
		exchange: (serverId, { method, headers, body, idleMs }, handler) => {
			const added = {
				[busHeaders.key]: key,
				[busHeaders.program]: serverId,
				[busHeaders.idleMs]: String(idleMs),
			}
			const asked = {
				origin: 'http://primary',
				path: '/',
				method: method as Dispatcher.HttpMethod,
				body: body || null,
			}
			agent.dispatch(
				{ ...asked, headers: { ...withoutLength(headers), ...added } },
				new WithFailures(handler),
			)
		},
		close: () => agent.destroy(),
	}
}

/** The body's length is counted anew. */
function withoutLength({ 'content-length': _length, ...headers }: Readonly<Record<string, string>>) {
	return headers
}

/** Gives a failure of the exchange in the primary to the handler as if it had happened here. */
class WithFailures implements Dispatcher.DispatchHandler {
	readonly #handler: Dispatcher.DispatchHandler
	#failure: { kind: 'problem' | 'error'; code: string; chunks: Buffer[] } | null = null

	constructor(handler: Dispatcher.DispatchHandler) {
		this.#handler = handler
	}

	onRequestStart(...of: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
		this.#handler.onRequestStart?.(...of)
	}

	onResponseStart(...of: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
		const [, , headers] = of
		const { [busHeaders.problem]: problem, [busHeaders.failure]: failure } = headers
		if (problem !== undefined) this.#failure = { kind: 'problem', code: String(problem), chunks: [] }
		else if (failure !== undefined) this.#failure = { kind: 'error', code: String(failure), chunks: [] }
		else this.#handler.onResponseStart?.(...of)
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		if (this.#failure) this.#failure.chunks.push(chunk)
		else this.#handler.onResponseData?.(controller, chunk)
	}

	onResponseEnd(...of: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
		if (!this.#failure) return void this.#handler.onResponseEnd?.(...of)
		const { kind, code, chunks } = this.#failure
		const message = Buffer.concat(chunks).toString()
		const error =
			kind === 'problem'
				? new Problem(code as ProblemCode, message)
				: Object.assign(new Error(message), code && { code })
		this.#handler.onResponseError?.(of[0], error)
	}

	onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
		this.#handler.onResponseError?.(controller, error)
	}
}
