import type { AlertStatus } from '@signalbox/contract'
import { appendEvent } from '../../accounts/events/events.ts'
import { toIso } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import type { AlertRow } from './alert.ts'
import type { AlertContext } from './alert-context.ts'
import { type AlertEmailState, queueAlertEmails } from './alert-emails.ts'

/**
 * Notifies of an alert in the event stream, through webhooks and by e-mail, in the transaction of the change. Returns the state of the
 * e-mails.
 */
export async function notify(
	tx: DatabaseTransaction,
	context: AlertContext,
	row: AlertRow,
	word: 'firing' | 'resolved' | 'test',
	transitionId: string | null,
): Promise<AlertEmailState | null> {
	const url = context.urlOf(row.workspace_id, row.path)
	const data = {
		alert: { id: row.id, name: row.name },
		kind: row.kind,
		status: row.status as AlertStatus,
		value: row.value,
		text: row.reason,
		url,
		since: toIso(row.status_since),
		transition_id: transitionId,
	}
	await appendEvent(tx, { workspaceId: row.workspace_id, type: `alert.${word}`, data }, context.clock)
	return queueAlertEmails(tx, context, row, {
		subject: `${subjects[word]}: ${row.name}`,
		text: `${row.reason}\n\n${url}\n\nThe alert: ${context.urlOf(row.workspace_id, `/alerts/${row.id}`)}\n`,
	})
}

const subjects = { firing: 'Alert', resolved: 'Resolved', test: 'Test of the alert' }
