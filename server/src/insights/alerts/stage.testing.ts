import { startTestApp, type TestApp, type TestCore } from '../../accounts/identity/testing.ts'
import type { TestStore } from '../../platform/clickhouse/testing.ts'
import { manualClock, systemClock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import type { RunningJob } from '../../platform/jobs/job.ts'
import { createSmtpTransport } from '../../platform/mail/mailer.ts'
import { spanInsert } from '../../telemetry/blocks/native.testing.ts'
import { newSpanRow, type SpanRow } from '../../telemetry/index.ts'
import { openSavedViews } from '../saved-views/saved-views.ts'
import { startJoinedStore } from '../spotlight/joined-store.testing.ts'
import { openSpotlight } from '../spotlight/spotlight.ts'
import type { AlertContext } from './alert-context.ts'
import { openAlerts } from './alerts.ts'
import { addBuiltInAlerts, evaluateDueAlerts } from './evaluate-alerts.ts'

/** A migrated engine for the tests of one file. */
export async function startEngine(): Promise<TestStore> {
	const engine = await startJoinedStore()
	return engine
}

export type AlertStage = Awaited<ReturnType<typeof stageAlerts>>

/** An app with saved views and alerts on a real engine. Their clock stands still until a test moves it; that of sessions runs. */
export async function stageAlerts(store: ControlStore, engine: TestStore, smtpUrl: string | null = null) {
	const clock = manualClock(systemClock.nowMs())
	const config = { SMTP_URL: smtpUrl, MAIL_FROM: 'alerts@example.org' }
	const opened: { context?: AlertContext } = {}
	const open = (core: TestCore) => {
		const spotlight = openSpotlight({ ...core, telemetry: engine.store, clock })
		const { readFigures, readWindows } = spotlight
		const given = { ...core, clock, telemetry: engine.store, readFigures, readWindows }
		opened.context = {
			...given,
			urlOf: (workspaceId, path) => `http://signalbox.example/ui/w/${workspaceId}${path}`,
			mail: smtpUrl ? createSmtpTransport(smtpUrl, config.MAIL_FROM) : null,
		}
		const alerts = openAlerts({ ...given, config, publicAddress: () => 'http://signalbox.example' })
		const savedViews = openSavedViews({ ...core, clock, ask: spotlight.ask })
		return { operations: [...alerts.operations, ...savedViews.operations] }
	}
	const app = await startTestApp(store, { open })
	const context = opened.context as AlertContext
	await addBuiltInAlerts(context)
	const api = async (method: string, path: string, body?: object) =>
		(await app.request(method, path, { token: app.owner.token, ...(body && { body }) })).body
	return {
		app,
		api,
		clock,
		context,
		/** Inserts calls of the workspace into the engine, `agoMs` before now. */
		record: (calls: number, fields: Partial<SpanRow>, agoMs = 1000) =>
			record(app, engine, clock.nowMs() - agoMs, calls, fields),
		/** Evaluates what is due, like the job. */
		evaluate: (job: Partial<RunningJob> = {}) =>
			evaluateDueAlerts(context, {
				signal: new AbortController().signal,
				commit: app.mutate,
				...job,
			} as RunningJob),
		byKind: async (kind: string) => {
			const { alerts } = await api('GET', '/v1/alerts?limit=100')
			return alerts.find((alert: { kind: string }) => alert.kind === kind)
		},
		/** The notification events of an alert, oldest first. */
		notificationsOf: async (alertId: string) => {
			const rows = await store.db
				.selectFrom('events')
				.select(['type', 'data'])
				.where('type', 'like', 'alert.%')
				.orderBy('seq')
				.execute()
			const events = rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }))
			return events.filter(({ data }) => data.alert.id === alertId)
		},
	}
}

let batches = 0
let spans = 0

function record(
	app: TestApp,
	engine: TestStore,
	atMs: number,
	calls: number,
	fields: Partial<SpanRow>,
): Promise<void> {
	const rows = Array.from({ length: calls }, () =>
		newSpanRow({
			workspaceId: app.owner.workspaceId,
			traceId: newId(atMs).replaceAll('-', ''),
			spanId: (++spans).toString(16).padStart(16, '0'),
			name: 'call',
			source: 'gateway',
			kind: 'tool_call',
			status: 'ok',
			startNs: BigInt(atMs) * 1_000_000n,
			durationNs: 1_000_000n,
			...fields,
		}),
	)
	return engine.store.insertRowBinary({
		...spanInsert(rows),
		deduplicationToken: `alerts-${process.pid}-${++batches}`,
	})
}
