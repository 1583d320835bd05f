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
			return collect(dispatcher, options as Dispatcher.DispatchOptions, AbortSignal.any(signals))
		},
	}
}

function originOf(url: string): string {
	return url.replace(/\/$/, '')
}

function collect(
	dispatcher: Dispatcher,
	options: Dispatcher.DispatchOptions,
	signal: AbortSignal,
): Promise<Response> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = []
		let start: { status: number; headers: Record<string, string> } = { status: 0, headers: {} }
		const leave = () => reject(signal.reason)
		signal.addEventListener('abort', leave, { once: true })
		dispatcher.dispatch(options, {
			onRequestStart: (controller) =>
				signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true }),
			onResponseStart: (_controller, status, headers) => {
				start = { status, headers: headers as Record<string, string> }
			},
			onResponseData: (_controller, chunk) => chunks.push(chunk),
			onResponseEnd: () =>
				resolve(new (wholeUndici().Response)(chunks.length === 0 ? null : Buffer.concat(chunks), start)),
			onResponseError: (_controller, error) => reject(error),
		})
	})
}
