import type { Identity } from '../../accounts/identity/identity.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { newId } from '../../platform/ids.ts'
import type { RunningJob } from '../../platform/jobs/job.ts'
import type { SmtpTransport } from '../../platform/mail/mailer.ts'
import { doubledMs } from '../../platform/retry.ts'
import type { AlertRow } from './alert.ts'
import type { AlertContext } from './alert-context.ts'
import { listAlertsWithEmails, updateAlert } from './alert-repository.ts'
import type { AlertDocument } from './present-alert.ts'

export type AlertEmailState = NonNullable<AlertDocument['state']['mail']>

interface AlertEmail {
	subject: string
	text: string
}
interface Payload extends AlertEmail {
	to: string
	alertId: string
}

const alertEmailJob = 'alert-mail'
/** After about an hour an e-mail about an alert is no longer useful. */
const maxAttempts = 11
const backOff = { firstMs: 5000, maxMs: 20 * 60_000 }
const retryMs = (attempt: number) => doubledMs(backOff, attempt - 1)

/** Queues one job per address in the transaction of the change: an e-mail is sent at least once, and retried if it fails. */
export async function queueAlertEmails(
	tx: DatabaseTransaction,
	{ jobs, mail, log }: AlertContext,
	row: Pick<AlertRow, 'id' | 'workspace_id' | 'name' | 'emails'>,
	email: AlertEmail,
): Promise<AlertEmailState | null> {
	const addresses = JSON.parse(row.emails) as string[]
	if (addresses.length === 0) return null
	if (mail === null) {
		log.warn(
			{ alert: row.name, to: addresses },
			'alerts: no mail server is set, so nobody was notified by e-mail',
		)
		return 'no_mail_server'
	}
	for (const to of addresses)
		await jobs.enqueue(tx, {
			kind: alertEmailJob,
			key: newId(),
			workspaceId: row.workspace_id,
			payload: { ...email, to, alertId: row.id } satisfies Payload,
		})
	return 'waiting'
}

/** Nobody is notified of what happens in a workspace after they have left it. */
export function forgetEmailsOfLeavers(
	context: AlertContext,
	{ onMembership }: Pick<Identity, 'onMembership'>,
): void {
	onMembership(async (tx, { workspaceId, email, role, by, requestId }) => {
		if (role !== null) return
		for (const { id, name, emails: text } of await listAlertsWithEmails(tx, workspaceId)) {
			const addresses = JSON.parse(text) as string[]
			const emails = addresses.filter((address) => address.toLowerCase() !== email)
			if (emails.length === addresses.length) continue
			const nowMs = context.clock.nowMs()
			await updateAlert(tx, workspaceId, id, { emails: JSON.stringify(emails), updated_at: nowMs })
			const target = { kind: 'alert', id, name }
			const entry = { action: 'alerts.update', target, detail: { emails } }
			await context.audit.record(tx, { workspaceId, actor: by, requestId, ...entry })
		}
	})
}

/** Registers the job that sends queued e-mails. */
export function sendAlertEmails(context: AlertContext): void {
	context.jobs.handle(alertEmailJob, (job) => send(context, job), {
		retry: (attempt) => (attempt < maxAttempts ? retryMs(attempt) : null),
	})
}

async function send({ mail, log }: AlertContext, job: RunningJob): Promise<void> {
	const { to, subject, text, alertId } = job.payload as Payload
	const note = (state: AlertEmailState) =>
		job.commit(async (tx) => {
			await updateAlert(tx, job.workspaceId ?? '', alertId, { mail: state })
			await job.finish(tx)
		})
	try {
		await (mail as SmtpTransport).send({ to, subject, text })
	} catch (error) {
		if (job.attempt < maxAttempts) throw error
		log.error({ err: error, to, subject }, 'alerts: an e-mail could not be sent')
		return note('failed')
	}
	await note('sent')
}
