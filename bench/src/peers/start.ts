import { createServer } from 'node:net'

/** Retries until an attempt succeeds, for up to 20 s. */
export async function untilReady<T>(attempt: () => Promise<T>): Promise<T> {
	for (const endMs = performance.now() + 20_000; ; ) {
		try {
			return await attempt()
		} catch (error) {
			if (performance.now() > endMs) throw error
			await new Promise((resolve) => setTimeout(resolve, 200))
		}
	}
}

export function freePort(): Promise<number> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const address = server.address()
			server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
		})
	})
}
