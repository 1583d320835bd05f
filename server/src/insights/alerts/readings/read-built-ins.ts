import type { AlertKind } from '@signalbox/contract'
import type { Reading, Watch } from '../alert.ts'
import type { AlertContext } from '../context.ts'
import { spotlightPath } from './spotlight-path.ts'
import {
	type ChangedTool,
	firstModelCallMs,
	listChangedTools,
	listRepeatedCalls,
	listServers,
	listSuspendedTools,
} from './watched-repository.ts'

type Read = (context: AlertContext, watch: Watch) => Promise<Reading>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Few failures are no spike, and cents are no spend, however much more they are than usual. */
const leastErrors = 10
const leastErrorRate = 0.1
const leastUsd = 1

/** What the five alerts of every workspace look at; docs/alerts.md says it in words. */
export const readBuiltIn: Record<Exclude<AlertKind, 'question'>, Read> = {
	server_down: async ({ store }, { workspaceId }) => {
		const servers = await listServers(store.db, workspaceId)
		const down = servers.filter(({ health_status }) => health_status === 'unhealthy')
		const path = down.length === 1 ? `/servers/${down[0]?.id}` : '/servers'
		const value = down.length
		if (servers.length === 0)
			return { status: 'no_data', value, text: 'No server is in use.', path, subjects: [] }
		if (down.length === 0) return { status: 'ok', value, text: 'No server is down.', path, subjects: [] }
		const text = `${nameSome(down.map(({ name }) => name))} ${down.length === 1 ? 'does' : 'do'} not answer checks.`
		return { status: 'firing', value, text, path, subjects: down.map(({ id }) => id) }
	},

	definition_changed: async ({ store, clock }, { workspaceId }) => {
		const suspended = await listSuspendedTools(store.db, workspaceId)
		const changed = await listChangedTools(store.db, workspaceId, clock.nowMs() - hourMs)
		const tools = new Map([...changed, ...suspended].map((tool) => [`${tool.server}: ${tool.tool}`, tool]))
		const value = tools.size
		const path = pathOfTools([...tools.values()])
		if (value === 0)
			return { status: 'ok', value, text: 'No definition changed in the last hour.', path, subjects: [] }
		const waits = suspended.length === 0 ? '' : ` ${suspended.length} waiting for approval.`
		const text = `Changed definitions: ${nameSome([...tools.keys()])}.${waits}`
		const subjects = [...tools.values()].map(({ server_id, tool, hash }) => `${server_id}/${tool}/${hash}`)
		return { status: 'firing', value, text, path, subjects }
	},

	error_spike: async ({ readFigures, clock }, { workspaceId, threshold }) => {
		const nowMs = clock.nowMs()
		const startMs = nowMs - 10 * minuteMs
		const now = await readFigures(workspaceId, { startMs, endMs: nowMs })
		const path = spotlightPath({ read: 'errors', range: '15m' })
		const value = now.error_rate
		if (now.errors < leastErrors)
			return {
				status: 'ok',
				value,
				text: `${now.errors === 1 ? '1 error' : `${now.errors} errors`} in the last 10 minutes.`,
				path,
				subjects: [],
			}
		const before = await readFigures(workspaceId, { startMs: startMs - dayMs, endMs: startMs })
		const usual = before.error_rate ?? 0
		const isSpike = (value ?? 0) >= Math.max(leastErrorRate, usual * (threshold ?? 1))
		const text = `${now.errors} of ${now.calls} calls failed in the last 10 minutes, ${percent(usual)} in the day before.`
		return { status: isSpike ? 'firing' : 'ok', value, text, path, subjects: isSpike ? ['workspace'] : [] }
	},

	spend_spike: async ({ readFigures, telemetry, clock }, { workspaceId, threshold }) => {
		const nowMs = clock.nowMs()
		const startMs = nowMs - dayMs
		const before = { startMs: startMs - 7 * dayMs, endMs: startMs }
		const now = await readFigures(workspaceId, { startMs, endMs: nowMs })
		const value = usd(now.cost_nano_usd)
		const path = spotlightPath({ read: 'models', range: '24h', sort: 'cost' })
		const firstMs = await firstModelCallMs(telemetry, workspaceId, before)
		const days = firstMs === null ? 0 : Math.min(7, (startMs - firstMs) / dayMs)
		if (days < 1)
			return {
				status: 'no_data',
				value,
				text: 'There is not yet a usual day to compare with.',
				path,
				subjects: [],
			}
		const usual = usd((await readFigures(workspaceId, before)).cost_nano_usd) / days
		const isSpike = value >= Math.max(leastUsd, usual * (threshold ?? 1))
		const text = `$${value.toFixed(2)} in the last 24 hours; a usual day of the week before cost $${usual.toFixed(2)}.`
		return { status: isSpike ? 'firing' : 'ok', value, text, path, subjects: isSpike ? ['workspace'] : [] }
	},

	agent_loop: async ({ telemetry, clock }, { workspaceId, threshold }) => {
		const nowMs = clock.nowMs()
		const range = { startMs: nowMs - 10 * minuteMs, endMs: nowMs }
		const loops = await listRepeatedCalls(telemetry, workspaceId, range, threshold ?? 1)
		const [worst] = loops
		if (!worst)
			return { status: 'ok', value: 0, text: 'No agent repeats itself.', path: '/spotlight', subjects: [] }
		const how = worst.failure === '' ? 'with the same arguments' : `failing with ${worst.failure}`
		const others = loops.length > 1 ? ` ${loops.length - 1} more like this.` : ''
		return {
			status: 'firing',
			value: Number(worst.calls),
			text: `${worst.agent_label} called ${worst.tool} ${worst.calls} times in 10 minutes, ${how}.${others}`,
			path: spotlightPath({ read: 'tools', range: '15m', filter: { agent: worst.agent } }),
			subjects: loops.map(({ agent, tool, failure }) => `${agent}/${tool}/${failure}`),
		}
	},
}

function pathOfTools(tools: readonly ChangedTool[]): string {
	const servers = new Set(tools.map(({ server_id }) => server_id))
	return servers.size === 1 ? `/servers/${[...servers][0]}/definitions` : '/servers'
}

function nameSome(names: readonly string[]): string {
	const some = names.slice(0, 5).join(', ')
	return names.length > 5 ? `${some} and ${names.length - 5} more` : some
}

const usd = (nano: string) => Number(nano) / 1e9
const percent = (share: number) => `${Number((share * 100).toPrecision(3))} %`
