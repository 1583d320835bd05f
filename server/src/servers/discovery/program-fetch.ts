import type { Dispatcher, Response } from 'undici'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import { wholeUndici } from '../../platform/undici.ts'

/** `fetch` for the program of a server: the same form as over the network, without one. */
export function programFetch(dispatcher: Dispatcher): Pick<SafeFetch, 'fetch'> {
	return {
		fetch: (url, init = {}) => {
			const { timeoutMs = 30_000, headers = {}, body } = init
			const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])]
			const request = { origin: originOf(String(url)), path: '/', method: init.method ?? 'GET', headers }
			const options = { ...request, body: typeof body === 'string' ? body : null, headersTimeout: 0 }
			return stream(dispatcher, options as Dispatcher.DispatchOptions, AbortSignal.any(signals))
		},
	}
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

function originOf(url: string): string {
	return url.replace(/\/$/, '')
}

/** The body is a stream: a program may ask something on the way to its answer, and wait. */
function stream(
	dispatcher: Dispatcher,
	options: Dispatcher.DispatchOptions,
	signal: AbortSignal,
): Promise<Response> {
	return new Promise((resolve, reject) => {
		const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
		const writer = writable.getWriter()
		const leave = () => reject(signal.reason)
		signal.addEventListener('abort', leave, { once: true })
		dispatcher.dispatch(options, {
			onRequestStart: (controller) => {
				signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
			},
			onResponseStart: (_controller, status, headers) => {
				const body = withoutBody.has(status) ? null : readable
				resolve(new (wholeUndici().Response)(body, { status, headers: headers as Record<string, string> }))
			},
			onResponseData: (_controller, chunk) => void writer.write(chunk).catch(() => {}),
			onResponseEnd: () => void writer.close().catch(() => {}),
			onResponseError: (_controller, error) => {
				reject(error)
				void writer.abort(error).catch(() => {})
			},
		})
	})
}
