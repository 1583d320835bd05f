import type { Queryable } from '../../../platform/database/database.ts'
import { ownedRows } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'

export type RedactionRuleRow = ControlSchema['redaction_rules']

export const {
	find: findRule,
	list: listRules,
	count: countRules,
	insert: insertRule,
	update: updateRule,
	remove: deleteRule,
} = ownedRows('redaction_rules')

/** For the view in memory: the rules of one workspace in the order in which they are applied. */
export function listRulesForView(db: Queryable, workspaceId: string): Promise<RedactionRuleRow[]> {
	return db
		.selectFrom('redaction_rules')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.orderBy('id')
		.execute()
}

/** For the view in memory, which covers all workspaces. */
export function listAllRulesForView(db: Queryable): Promise<RedactionRuleRow[]> {
	return db.selectFrom('redaction_rules').selectAll().orderBy('id').execute()
}
