import { alertOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../../platform/http/index.ts'
import { createSmtpTransport } from '../../platform/mail/mailer.ts'
import { paginate } from '../../platform/paging.ts'
import { sendAlertEmails } from './alert-emails.ts'
import {
	alertOrNotFound,
	changeAlert,
	createAlert,
	previewAlert,
	removeAlert,
	testAlert,
} from './change-alerts.ts'
import type { AlertContext } from './context.ts'
import { addBuiltInAlerts, evaluateDueAlerts } from './evaluate-alerts.ts'
import { presentAlert, presentTransition } from './present-alert.ts'
import { deleteOldTransitions, listAlerts, listTransitions } from './repository.ts'

interface AlertDependencies extends Omit<AlertContext, 'urlOf' | 'mail'> {
	config: { SMTP_URL: string | null; MAIL_FROM: string | null }
	/** Where links lead; its port is known once the main listener has one. */
	publicAddress(): string
	/** For tests: how often is looked for alerts that are due. */
	everyMs?: number
}

interface Alerts {
	operations: BoundOperation[]
	/** Gives the workspaces that are there their alerts; the background job does so for those to come. */
	start(): Promise<void>
}

const usualEveryMs = 10_000
const hourMs = 60 * 60 * 1000
const keptMs = 90 * 24 * hourMs

/** Alerts: judged in the background, and notified once for each change. */
export function openAlerts({ config, publicAddress, everyMs, ...given }: AlertDependencies): Alerts {
	const { SMTP_URL, MAIL_FROM } = config
	const alerts: AlertContext = {
		...given,
		urlOf: (workspaceId, path) => `${publicAddress()}/ui/w/${workspaceId}${path}`,
		mail: SMTP_URL && MAIL_FROM ? createSmtpTransport(SMTP_URL, MAIL_FROM) : null,
	}
	const { jobs, store, clock } = alerts
	jobs.every('alerts-evaluate', everyMs ?? usualEveryMs, async (job) => {
		await addBuiltInAlerts(alerts)
		await evaluateDueAlerts(alerts, job)
	})
	jobs.every('alerts-forget', hourMs, async ({ signal }) => {
		while (!signal.aborted && (await deleteOldTransitions(store.db, clock.deletionMs() - keptMs)));
	})
	sendAlertEmails(alerts)
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
