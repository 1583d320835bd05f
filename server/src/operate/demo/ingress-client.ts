import type { IncomingMessage, ServerResponse } from 'node:http'

export type Ingress = (request: IncomingMessage, response: ServerResponse) => void

export interface IngressRequest {
	method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
	path: string
	body?: unknown
	headers?: Readonly<Record<string, string>>
}

export interface IngressAnswer {
	status: number
	text: string
}

/** On a busy machine the demo is late but complete: requests are retried as long as its key is valid. */
const patienceMs = 10 * 60_000

/** Sends requests through our own ingress with a credential, so that all rules of the platform apply to the demo too. */
export class IngressClient {
	readonly #ingress: Ingress
	readonly #host: string
	readonly #credential: string

	readonly #ending: AbortSignal | null

	constructor(ingress: Ingress, host: string, credential: string, ending: AbortSignal | null = null) {
		this.#ingress = ingress
		this.#host = host
		this.#credential = credential
		this.#ending = ending
	}

	as(credential: string): IngressClient {
		return new IngressClient(this.#ingress, this.#host, credential, this.#ending)
	}

	/** The same credential, used with the ingress of another program. */
	through(ingress: Ingress): IngressClient {
		return new IngressClient(ingress, this.#host, this.#credential, this.#ending)
	}

	/** Returns any response; retries while the instance reports overload. */
	async send(request: IngressRequest): Promise<IngressAnswer> {
		const endMs = performance.now() + patienceMs
		for (;;) {
			const answer = await this.#sendOnce(request)
			const isBusy = answer.status === 429 || answer.status === 503
			if (!isBusy || this.#ending?.aborted || performance.now() > endMs) return answer
			await new Promise((resolve) => setTimeout(resolve, 500))
		}
	}

	/** The JSON of a response; rejects with the platform's error if it refused. */
	async call<T>(method: IngressRequest['method'], path: string, body?: unknown): Promise<T> {
		const { status, text } = await this.send({ method, path, body })
		if (status >= 400) throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`)
		return (text === '' ? undefined : JSON.parse(text)) as T
	}

	async #sendOnce({ method, path, body, headers }: IngressRequest): Promise<IngressAnswer> {
		const { inject } = await import('light-my-request')
		const request = {
			method,
			url: path,
			headers: {
				host: this.#host,
				authorization: `Bearer ${this.#credential}`,
				...(body !== undefined && { 'content-type': 'application/json' }),
				...headers,
			},
			remoteAddress: '127.0.0.1',
			...(body !== undefined && { payload: JSON.stringify(body) }),
		}
		return new Promise((resolve, reject) => {
			inject(this.#ingress, request, (error, answer) =>
				error || !answer
					? reject(error ?? new Error('The ingress gave no answer.'))
					: resolve({ status: answer.statusCode, text: answer.payload }),
			)
		})
	}
}
