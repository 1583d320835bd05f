import { redactionRuleOperations } from '@signalbox/contract'
import type { ChangeFeed } from '../../../platform/changes.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import { createRedactContent, type RedactContent } from '../redact-content.ts'
import {
	changeRule,
	createRule,
	type RedactionRuleContext,
	removeRule,
	ruleOrNotFound,
} from './change-rules.ts'
import { presentRule } from './present-rule.ts'
import { createRedactionView, type RedactionView } from './redaction-view.ts'
import { listRules } from './repository.ts'
import { tryRules } from './try-rules.ts'

export interface RedactionRuleDependencies extends RedactionRuleContext {
	store: ControlStore
	feed: ChangeFeed
}

/** The workspaces' own rules of redaction: managed here, held in memory for whatever records telemetry. */
export function openRedactionRules({ store, feed, ...rules }: RedactionRuleDependencies): {
	operations: BoundOperation[]
	view: RedactionView
	redactContent: RedactContent
} {
	const view = createRedactionView(store.db)
	feed.add(view)
	const operations = bind(redactionRuleOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listRules(store.db, principalIn(context).workspaceId, query)
			return { redaction_rules: rows.map(presentRule), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createRule(rules, context, body),
		try: async ({ body, context }) => tryRules(body, view.rulesOf(principalIn(context).workspaceId)),
		get: async ({ params, context }) =>
			presentRule(await ruleOrNotFound(store.db, principalIn(context).workspaceId, params.id)),
		update: ({ params, body, context }) => changeRule(rules, context, params.id, body),
		delete: async ({ params, context }) => void (await removeRule(rules, context, params.id)),
	})
	return { operations, view, redactContent: createRedactContent(view) }
}
