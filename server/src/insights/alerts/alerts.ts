import {
	type AlertCondition,
	type Asked,
	alertOperations,
	type BodyOf,
	type OutputOf,
} from '@signalbox/contract'
import { type RequestedChange, recordChange } from '../../accounts/audit/audit.ts'
import type { Identity } from '../../accounts/identity/identity.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import { requireRoom } from '../../platform/database/owned-rows.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { createSmtpTransport } from '../../platform/mail/mailer.ts'
import { paginate } from '../../platform/paging.ts'
import { parseDuration } from '../../platform/time-range.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { askedOf, findSavedView, lockWatched } from '../saved-views/saved-views.ts'
import type { AlertRow } from './alert.ts'
import type { AlertContext } from './alert-context.ts'
import { forgetEmailsOfLeavers, sendAlertEmails } from './alert-emails.ts'
import {
	countAlerts,
	deleteAlert,
	deleteOldTransitions,
	findAlert,
	insertAlerts,
	listAlerts,
	listTransitions,
	updateAlert,
} from './alert-repository.ts'
import { hasThreshold, newRow } from './built-ins.ts'
import { addBuiltInAlerts, evaluateAlert, evaluateDueAlerts } from './evaluate-alerts.ts'
import { type AlertState, nextAlertState } from './next-alert-state.ts'
import { notify } from './notify.ts'
import { type AlertDocument, presentAlert, presentTransition } from './present-alert.ts'
import { evaluateCondition, measureAtTimes } from './readings/read-saved-view.ts'

type Created = BodyOf<(typeof alertOperations)['create']>
type Updated = BodyOf<(typeof alertOperations)['update']>
type Tested = OutputOf<(typeof alertOperations)['test']>

const maxAlerts = 200
const readOnly = ['id', 'kind', 'created_at', 'updated_at']
/** What the built-in alerts watch cannot be chosen. */
const ofSavedViews = ['question_id', 'figure', 'condition']

/** An alert of the workspace. A malformed id or one of another workspace is the same 404 as an unknown id. */
export async function alertOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<AlertRow> {
	const row = await findAlert(db, workspaceId, id)
	if (!row) throw notFound('alert')
	return row
}

export function createAlert(
	alerts: AlertContext,
	request: RequestContext,
	body: Created,
): Promise<AlertDocument> {
	const row = newAlert(principalIn(request).workspaceId, body, alerts.clock.nowMs())
	return alerts.mutate(async (tx) => {
		await requireRoom(tx, row.workspace_id, { most: maxAlerts, what: 'alerts', count: countAlerts })
		await refuseNonsense(tx, row)
		await insertAlerts(tx, [row])
		await recordChange(tx, alerts, request, changeOf('create', row, body))
		return presentAlert(row, alerts.urlOf)
	})
}

/** It is due for evaluation at once. */
function newAlert(workspaceId: string, body: Created, nowMs: number): AlertRow {
	const { figure, condition, question_id } = body
	const settings = {
		kind: 'question',
		name: body.name,
		question_id,
		figure,
		test: condition,
		threshold: body.threshold ?? null,
		for_s: body.for_s ?? 0,
		interval_s: body.interval_s ?? 60,
		path: '/spotlight',
		emails: JSON.stringify(body.emails ?? []),
		enabled: Number(body.enabled ?? true),
		muted_until: toMs(body.muted_until ?? null),
		due_at: nowMs,
	}
	return newRow(workspaceId, settings, nowMs)
}

export function changeAlert(
	alerts: AlertContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<AlertDocument> {
	return alerts.mutate(async (tx) => {
		const before = await alertOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentAlert(before, alerts.urlOf)
		requireUnchanged(current)
		refuseChanged(body, current, before.kind === 'question' ? readOnly : [...readOnly, ...ofSavedViews], [
			'updated_at',
		])
		const nowMs = alerts.clock.nowMs()
		const row = { ...before, ...valuesOf(body, before), due_at: nowMs, updated_at: nowMs }
		await refuseNonsense(tx, row)
		await updateAlert(tx, row.workspace_id, id, row)
		const { state: _, ...detail } = body
		await recordChange(tx, alerts, request, changeOf('update', row, detail))
		return presentAlert(row, alerts.urlOf)
	})
}

function valuesOf(body: Updated, before: AlertRow): Partial<AlertRow> {
	return {
		name: body.name ?? before.name,
		question_id: body.question_id ?? before.question_id,
		figure: body.figure ?? before.figure,
		test: body.condition ?? before.test,
		threshold: body.threshold === undefined ? before.threshold : body.threshold,
		for_s: body.for_s ?? before.for_s,
		interval_s: body.interval_s ?? before.interval_s,
		emails: body.emails ? JSON.stringify(body.emails) : before.emails,
		enabled: Number(body.enabled ?? before.enabled),
		muted_until: body.muted_until === undefined ? before.muted_until : toMs(body.muted_until),
	}
}

const toMs = (time: string | null) => (time === null ? null : Date.parse(time))

export function removeAlert(alerts: AlertContext, request: RequestContext, id: string): Promise<void> {
	return alerts.mutate(async (tx) => {
		const row = await alertOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentAlert(row, alerts.urlOf))
		if (row.kind !== 'question')
			throw new Problem('conflict', 'Every workspace has this alert; turn it off instead (`enabled: false`).')
		await deleteAlert(tx, row.workspace_id, id)
		await recordChange(tx, alerts, request, changeOf('delete', row))
	})
}

/** Evaluates the alert now, and sends its notification as a test; the state does not change. */
export async function testAlert(alerts: AlertContext, request: RequestContext, id: string): Promise<Tested> {
	const row = await alertOrNotFound(alerts.store.db, principalIn(request).workspaceId, id)
	const { status, value, text, path } = await evaluateAlert(alerts, row)
	const shown = { ...row, status, value, reason: text, path }
	return alerts.mutate(async (tx) => {
		const mail = await notify(tx, alerts, shown, 'test', null)
		if (mail !== null) await updateAlert(tx, row.workspace_id, id, { mail })
		await recordChange(tx, alerts, request, changeOf('test', row, { status }))
		return { status, value, text, url: alerts.urlOf(row.workspace_id, path), mail }
	})
}

/** Refuses settings that cannot be evaluated. */
async function refuseNonsense(tx: DatabaseTransaction, row: AlertRow): Promise<void> {
	const condition = row.test as AlertCondition | null
	const isCounted = row.kind === 'question' ? condition !== 'no_data' : hasThreshold(row.kind)
	refuseThreshold(isCounted, row.threshold)
	if (row.kind !== 'question') return
	await lockWatched(tx, row.workspace_id)
	if (!(await findSavedView(tx, row.workspace_id, row.question_id ?? '')))
		throw wrong('question_id', 'is not a saved view of this workspace')
}

export function refuseThreshold(isCounted: boolean, threshold: number | null): void {
	if (isCounted !== (threshold !== null))
		throw wrong('threshold', isCounted ? 'is needed' : 'must be null: nothing is counted here')
}

function wrong(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'alert', detail }],
	})
}

/** A change of an alert, as it is recorded. */
function changeOf(verb: string, row: AlertRow, detail: object = {}): RequestedChange {
	const target = { kind: 'alert', id: row.id, name: row.name }
	return { action: `alerts.${verb}`, target, detail: { ...detail } }
}

type Preview = (typeof alertOperations)['preview']
type Answer = OutputOf<Preview>

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const weekMs = 7 * 24 * hourMs
const maxPoints = 336

/**
 * What an alert would have done: its rule is evaluated at times of the last days from stored figures, with its waiting time applied by
 * the alerts' state machine. A short range is evaluated more often, over fewer days.
 */
export async function previewAlert(
	context: AlertContext,
	workspaceId: string,
	body: BodyOf<Preview>,
): Promise<Answer> {
	const { figure, condition, threshold = null, for_s = 0 } = body
	refuseThreshold(condition !== 'no_data', threshold)
	const asked = await askedIn(context, workspaceId, body)
	const intervalMs = intervalFor(parseDuration(asked.range))
	const count = Math.min(maxPoints, weekMs / intervalMs)
	const endMs = context.clock.nowMs()
	const firstMs = endMs - (count - 1) * intervalMs
	const seen = await measureAtTimes(context, { workspaceId, figure, condition }, asked, {
		...{ firstMs, intervalMs, count },
	})
	const points = seen.map((measured, at) => ({
		at: toIso(firstMs + at * intervalMs),
		...evaluateCondition(condition, threshold ?? 0, measured),
	}))
	return {
		start: toIso(endMs - count * intervalMs),
		end: toIso(endMs),
		interval_ms: intervalMs,
		firings: firingsOf(points, for_s * 1000),
		points,
	}
}

/** A short range is evaluated once per its length; a long one changes slowly. */
function intervalFor(rangeMs: number): number {
	if (rangeMs <= hourMs) return Math.max(15 * minuteMs, rangeMs)
	return Math.min(6 * hourMs, rangeMs / 12)
}

async function askedIn(
	{ store }: AlertContext,
	workspaceId: string,
	{ question_id, range = '24h', filter = {} }: BodyOf<Preview>,
): Promise<Pick<Asked, 'range' | 'filter'>> {
	if (question_id === undefined) return { range, filter }
	const view = await findSavedView(store.db, workspaceId, question_id)
	if (!view) throw notFound('saved view')
	return askedOf(view)
}

function firingsOf(points: Answer['points'], forMs: number): Answer['firings'] {
	const firings: Answer['firings'] = []
	let standing: AlertState = { status: 'ok', sinceMs: 0, pending: null, pendingSinceMs: null }
	for (const { at, status, value } of points) {
		const next = nextAlertState(standing, status, forMs, Date.parse(at))
		const last = firings.at(-1)
		if (next.status === 'firing' && standing.status !== 'firing')
			firings.push({ from: at, until: null, value: value ?? 0 })
		else if (last && last.until === null && next.status !== 'firing') last.until = at
		standing = next
	}
	return firings
}

interface AlertDependencies extends Omit<AlertContext, 'urlOf' | 'mail'> {
	config: { SMTP_URL: string | null; MAIL_FROM: string | null }
	identity: Pick<Identity, 'onMembership'>
	/** Base address of links. Its port is known once the main listener has one. */
	publicAddress(): string
	/** For tests: how often to check for alerts that are due. */
	everyMs?: number
}

interface Alerts {
	operations: BoundOperation[]
	/** Creates the built-in alerts of existing workspaces; the background job does so for new ones. */
	start(): Promise<void>
}

const defaultEveryMs = 10_000
const keptMs = 90 * 24 * hourMs

/** Opens the alerts, which are evaluated in the background and notified once for each change. */
export function openAlerts({ config, publicAddress, everyMs, ...given }: AlertDependencies): Alerts {
	const { SMTP_URL, MAIL_FROM } = config
	const alerts: AlertContext = {
		...given,
		urlOf: (workspaceId, path) => `${publicAddress()}/ui/w/${workspaceId}${path}`,
		mail: SMTP_URL && MAIL_FROM ? createSmtpTransport(SMTP_URL, MAIL_FROM) : null,
	}
	const { jobs, store, clock } = alerts
	jobs.every('alerts-evaluate', everyMs ?? defaultEveryMs, async (job) => {
		await addBuiltInAlerts(alerts)
		await evaluateDueAlerts(alerts, job)
	})
	jobs.every('alerts-forget', hourMs, async ({ signal }) => {
		while (!signal.aborted && (await deleteOldTransitions(store.db, clock.deletionMs() - keptMs)));
	})
	sendAlertEmails(alerts)
	forgetEmailsOfLeavers(alerts, given.identity)
	return { operations: alertRoutes(alerts), start: () => addBuiltInAlerts(alerts) }
}

function alertRoutes(alerts: AlertContext): BoundOperation[] {
	const { db } = alerts.store
	return bind(alertOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listAlerts(db, principalIn(context).workspaceId, query)
			const shown = rows.map((row) => presentAlert(row, alerts.urlOf))
			return { alerts: shown, pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createAlert(alerts, context, body),
		preview: ({ body, context }) => previewAlert(alerts, principalIn(context).workspaceId, body),
		get: async ({ params, context }) => {
			const row = await alertOrNotFound(db, principalIn(context).workspaceId, params.id)
			return presentAlert(row, alerts.urlOf)
		},
		history: async ({ params, query, context }) => {
			const { workspaceId } = principalIn(context)
			await alertOrNotFound(db, workspaceId, params.id)
			const rows = await listTransitions(db, workspaceId, params.id, query.limit)
			return { transitions: rows.map(presentTransition) }
		},
		update: ({ params, body, context }) => changeAlert(alerts, context, params.id, body),
		test: ({ params, context }) => testAlert(alerts, context, params.id),
		delete: async ({ params, context }) => void (await removeAlert(alerts, context, params.id)),
	})
}
