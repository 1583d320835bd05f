import type { Log } from '../../log.ts'
import { http } from '../../node-http.ts'
import type { ChildHandle } from './child-handle.ts'
import { basicAuthorization } from './child-protocol.ts'

const intervalMs = 1_000

export interface WatchOptions {
	socketPath: string
	key: string
	child: Pick<ChildHandle, 'pid' | 'kill'>
	log: Log
	/** Time without one good answer after which the child is killed. */
	silenceMs: number
}

/**
 * Asks the engine for a sign of life, on a connection of its own so that long queries do not matter, and kills
 * the process when none came for `silenceMs`. Returns a function that stops it.
 */
export function watchChild(options: WatchOptions): () => void {
	const { silenceMs } = options
	let silentSinceMs: number | undefined
	let stopped = false
	let timer: NodeJS.Timeout

	async function look(): Promise<void> {
		const askedMs = performance.now()
		const alive = await isAlive(options, silenceMs / 3)
		if (stopped) return
		// Counted from the first question without an answer, so that a machine that slept does not look like silence.
		silentSinceMs = alive ? undefined : (silentSinceMs ?? askedMs)
		if (silentSinceMs !== undefined && performance.now() - silentSinceMs >= silenceMs) return giveUp()
		timer = setTimeout(() => void look(), intervalMs).unref()
	}

	function giveUp(): void {
		options.log.error({ pid: options.child.pid, silenceMs }, 'telemetry engine does not answer; killing it')
		options.child.kill()
	}

	timer = setTimeout(() => void look(), intervalMs).unref()
	return () => {
		stopped = true
		clearTimeout(timer)
	}
}

function isAlive({ socketPath, key }: WatchOptions, timeoutMs: number): Promise<boolean> {
	return new Promise((resolve) => {
		const probe = http.request({
			socketPath,
			path: '/alive',
			headers: { authorization: basicAuthorization(key) },
		})
		probe.setTimeout(timeoutMs, () => probe.destroy(new Error('no answer')))
		probe.on('response', (response) => {
			response.resume()
			resolve(response.statusCode === 200)
		})
		probe.on('error', () => resolve(false))
		probe.end()
	})
}
