import type { Kysely } from 'kysely'
import { addColumns, json, optional, text, withDefault } from '../src/platform/database/ddl.ts'

/** Webhooks that speak as a chat or a pager takes it, and who may answer approvals from Slack. */
export async function up(db: Kysely<unknown>): Promise<void> {
	await addColumns(db, 'webhooks', {
		format: withDefault(text, 'standard'),
		sealed_address: optional(text),
		sealed_slack_secret: optional(text),
		slack_members: withDefault(json, '[]'),
	})
}
