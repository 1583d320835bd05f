import type { ClickHouseClient } from '@clickhouse/client'
import type { EngineState } from './embedded/supervisor.ts'

const intervalMs = 5_000

/** Asks a remote server every five seconds whether it is there. */
export function watchRemote(client: ClickHouseClient): { state(): EngineState; stop(): void } {
	let state: EngineState = 'starting'
	let timer: NodeJS.Timeout | undefined
	let stopped = false

	async function look(): Promise<void> {
		const { success } = await client.ping()
		state = success ? 'ready' : 'down'
		if (!stopped) timer = setTimeout(() => void look(), intervalMs).unref()
	}

	void look()
	return {
		state: () => state,
		stop() {
			stopped = true
			clearTimeout(timer)
		},
	}
}
