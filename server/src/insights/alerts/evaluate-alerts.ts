import type { AlertKind, AlertStatus, Asked } from '@signalbox/contract'
import { inChangeOf } from '../../platform/change-scope.ts'
import { StoreUnavailable } from '../../platform/clickhouse/store.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { Problem } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import type { RunningJob } from '../../platform/jobs/job.ts'
import { type AlertRow, type AlertRule, alertRuleOf, type Reading } from './alert.ts'
import type { AlertContext } from './alert-context.ts'
import {
	type ChangedTool,
	findAlert,
	firstModelCallMs,
	insertAlerts,
	insertTransition,
	listChangedTools,
	listDueAlerts,
	listRepeatedCalls,
	listServers,
	listSuspendedTools,
	listWorkspacesWithoutAlerts,
	type RepeatedCalls,
	updateAlert,
} from './alert-repository.ts'
import { builtInKinds, builtInRows } from './built-ins.ts'
import {
	type AlertState,
	type NotificationKind,
	nextAlertState,
	notificationFor,
} from './next-alert-state.ts'
import { notify } from './notify.ts'
import { readSavedView, spotlightPath } from './readings/read-saved-view.ts'

type Read = (context: AlertContext, watch: AlertRule) => Promise<Reading>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Below these, a few failures are not a spike and cents are not a spend, however much more they are than usual. */
const minErrors = 10
const minErrorRate = 0.1
const minUsd = 1

/** How the built-in alerts are evaluated; docs/alerts.md describes it in words. */
const readBuiltIn: Record<Exclude<AlertKind, 'question'>, Read> = {
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
		const tools = new Map([...changed, ...suspended].map((tool) => [`${tool.tool} (${tool.server})`, tool]))
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
		if (now.errors < minErrors)
			return {
				status: 'ok',
				value,
				text: `${now.errors === 1 ? '1 error' : `${now.errors} errors`} in the last 10 minutes.`,
				path,
				subjects: [],
			}
		const before = await readFigures(workspaceId, { startMs: startMs - dayMs, endMs: startMs })
		const usual = before.error_rate ?? 0
		const isSpike = (value ?? 0) >= Math.max(minErrorRate, usual * (threshold ?? 1))
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
		const firstMs = await firstModelCallMs(telemetry, workspaceId, startMs)
		const days = firstMs === null ? 0 : Math.min(7, (startMs - firstMs) / dayMs)
		if (days < 1)
			return {
				status: 'no_data',
				value,
				text: 'Not enough history to compare with.',
				path,
				subjects: [],
			}
		const usual = usd((await readFigures(workspaceId, before)).cost_nano_usd) / days
		const isSpike = value >= Math.max(minUsd, usual * (threshold ?? 1))
		const text = `$${value.toFixed(2)} in the last 24 hours; a usual day of the week before cost $${usual.toFixed(2)}.`
		return { status: isSpike ? 'firing' : 'ok', value, text, path, subjects: isSpike ? ['workspace'] : [] }
	},

	agent_loop: async ({ telemetry, clock }, { workspaceId, threshold }) => {
		const nowMs = clock.nowMs()
		const range = { startMs: nowMs - 10 * minuteMs, endMs: nowMs }
		const loops = await listRepeatedCalls(telemetry, workspaceId, range, threshold ?? 1)
		const [worst] = loops
		if (!worst)
			return {
				status: 'ok',
				value: 0,
				text: 'In the last 10 minutes no agent made the same call over and over.',
				path: '/spotlight',
				subjects: [],
			}
		const { agent_label, server_label, tool, calls, failure } = worst
		const what = server_label === '' ? `the tool ${tool}` : `the tool ${tool} of the server ${server_label}`
		const how = failure === '' ? 'with the same arguments each time' : `and each call failed with ${failure}`
		const others = loops.length > 1 ? ` Other repeated calls: ${loops.length - 1}.` : ''
		return {
			status: 'firing',
			value: Number(calls),
			text:
				`The agent ${agent_label} called ${what} ${calls} times in the last 10 minutes, ${how}.${others}` +
				' Look at its calls; if it does not stop by itself, pause it.',
			path: spotlightPath({ read: 'tools', range: '15m', filter: filterOfAgent(worst) }),
			subjects: loops.map(({ agent, tool, failure }) => `${agent}/${tool}/${failure}`),
		}
	},
}

/** An agent that is not registered is known by its service. */
function filterOfAgent({ agent, is_registered }: RepeatedCalls): Asked['filter'] {
	return is_registered === 1 ? { agent } : { filter: [`service=${agent}`] }
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

const batch = 50
/** Limit of concurrent evaluations, because the telemetry store serves others too. */
const atOnce = 4

/**
 * Evaluates all alerts that are due. The job's lease lets only one process do this at a time; one that has lost the lease commits
 * nothing.
 */
export async function evaluateDueAlerts(context: AlertContext, job: RunningJob): Promise<void> {
	const { store, clock } = context
	while (!job.signal.aborted) {
		const due = await listDueAlerts(store.db, clock.nowMs(), batch)
		const evaluateOne = (row: AlertRow) =>
			inChangeOf(row.workspace_id, row.id, () => evaluate(context, job, row))
		for (let first = 0; first < due.length && !job.signal.aborted; first += atOnce)
			await Promise.all(due.slice(first, first + atOnce).map(evaluateOne))
		if (due.length < batch) return
	}
}

/** Creates the built-in alerts that workspaces lack, because they are new, or older than an alert is. */
export async function addBuiltInAlerts({ store, mutate, clock }: AlertContext): Promise<void> {
	const list = (db: Queryable) => listWorkspacesWithoutAlerts(db, builtInKinds, batch)
	while ((await list(store.db)).length > 0)
		await mutate(async (tx) => {
			const ids = await list(tx)
			if (ids.length > 0)
				await insertAlerts(
					tx,
					ids.flatMap((id) => builtInRows(id, clock.nowMs())),
				)
		})
}

async function evaluate(context: AlertContext, job: RunningJob, row: AlertRow): Promise<void> {
	const reading = await evaluateAlert(context, row)
	await job.commit(async (tx) => {
		const now = await findAlert(tx, row.workspace_id, row.id)
		// An alert that was changed or evaluated in the meantime is evaluated again in its new state.
		if (now?.updated_at === row.updated_at && now.evaluated_at === row.evaluated_at)
			await settle(tx, context, now, reading)
	})
}

/** Stores the state, its history and the notifications in one transaction. */
async function settle(
	tx: DatabaseTransaction,
	context: AlertContext,
	before: AlertRow,
	reading: Reading,
): Promise<void> {
	const nowMs = context.clock.nowMs()
	const standing = nextAlertState(alertStateOf(before), reading.status, before.for_s * 1000, nowMs)
	const word = wordNow(before, standing, reading, nowMs)
	const row = {
		...before,
		...stateAfter(before, standing, reading, nowMs),
		...notifiedAfter(before, standing, word, reading),
	}
	if (word !== null || standing.status !== before.status) {
		const transitionId = newId(nowMs)
		await insertTransition(tx, {
			id: transitionId,
			workspace_id: row.workspace_id,
			alert_id: row.id,
			at: nowMs,
			from_status: before.status,
			to_status: row.status,
			value: row.value,
			reason: row.reason,
			notified_status: word,
		})
		if (word !== null) row.mail = await notify(tx, context, row, word, transitionId)
	}
	await updateAlert(tx, row.workspace_id, row.id, row)
}

function alertStateOf(row: AlertRow): AlertState {
	return {
		status: row.status as AlertStatus,
		sinceMs: row.status_since,
		pending: row.pending as AlertStatus | null,
		pendingSinceMs: row.pending_since,
	}
}

function wordNow(
	row: AlertRow,
	standing: AlertState,
	{ subjects }: Reading,
	nowMs: number,
): NotificationKind | null {
	if (row.muted_until !== null && row.muted_until > nowMs) return null
	const before = {
		notified: row.notified_status as NotificationKind,
		subjects: JSON.parse(row.notified_subjects) as string[],
	}
	return notificationFor(standing, before, subjects)
}

function stateAfter(
	row: AlertRow,
	standing: AlertState,
	{ value, text, path }: Reading,
	nowMs: number,
): Partial<AlertRow> {
	return {
		status: standing.status,
		status_since: standing.sinceMs,
		pending: standing.pending,
		pending_since: standing.pendingSinceMs,
		value,
		reason: text,
		path,
		evaluated_at: nowMs,
		due_at: nowMs + row.interval_s * 1000,
	}
}

/** Subjects that are resolved, or of which there is no data, are removed, so that they are notified again when they return. */
function notifiedAfter(
	row: AlertRow,
	standing: AlertState,
	word: NotificationKind | null,
	{ status, subjects }: Reading,
): Partial<AlertRow> {
	const notified = JSON.parse(row.notified_subjects) as string[]
	if (word === 'firing') return { notified_status: word, notified_subjects: JSON.stringify(subjects) }
	if (word === 'resolved') return { notified_status: word, notified_subjects: '[]' }
	if (standing.status === 'no_data') return { notified_subjects: '[]' }
	if (status !== 'firing') return {}
	return { notified_subjects: JSON.stringify(notified.filter((subject) => subjects.includes(subject))) }
}

/** Evaluates an alert now. If that is not possible its status is `unknown`, never ok. */
export async function evaluateAlert(context: AlertContext, row: AlertRow): Promise<Reading> {
	const watch = alertRuleOf(row)
	const { kind } = watch
	try {
		return await (kind === 'question' ? readSavedView(context, watch) : readBuiltIn[kind](context, watch))
	} catch (error) {
		const isStore = error instanceof Problem || error instanceof StoreUnavailable
		if (!isStore) context.log.error({ err: error, alert: row.id }, 'alerts: one cannot be evaluated')
		const text = isStore ? error.message : 'It cannot be evaluated; the log of the program says why.'
		return { status: 'unknown', value: null, text, path: row.path, subjects: [] }
	}
}
