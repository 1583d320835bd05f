import type { View } from '../../../platform/changes.ts'
import type { Database } from '../../../platform/database/index.ts'
import type { RuleSet } from '../rule.ts'
import { toRule } from './present-rule.ts'
import { listAllRulesForView, listRulesForView, type RedactionRuleRow } from './repository.ts'

/** The workspaces' own rules of redaction, in memory. */
export interface RedactionView {
	/** Undefined for a workspace without any, as most are. */
	rulesOf(workspaceId: string): RuleSet | undefined
}

export function createRedactionView(db: Database): RedactionView & View {
	const byWorkspace = new Map<string, RuleSet>()
	const set = (workspaceId: string, rows: readonly RedactionRuleRow[]) => {
		const rules = rows.map(toRule)
		if (rules.length === 0) byWorkspace.delete(workspaceId)
		else byWorkspace.set(workspaceId, { key: JSON.stringify(rules), rules })
	}
	return {
		kinds: ['redaction_rules'],
		load: async () => {
			const rows = Map.groupBy(await listAllRulesForView(db), (row) => row.workspace_id)
			byWorkspace.clear()
			for (const [workspaceId, own] of rows) set(workspaceId, own)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await listRulesForView(db, workspaceId)),
		rulesOf: (workspaceId) => byWorkspace.get(workspaceId),
	}
}
