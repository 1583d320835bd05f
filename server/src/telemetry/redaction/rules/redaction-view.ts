import type { View } from '../../../platform/changes.ts'
import type { Database } from '../../../platform/database/index.ts'
import type { RuleSet } from '../rule.ts'
import { toRule } from './present-rule.ts'
import { listAllRulesForView, listRulesForView, type RedactionRuleRow } from './repository.ts'

/** The workspaces' own rules of redaction, in memory. */
export interface RedactionView {
	/** Those of the workspace, with those of the ingest token that brings it; undefined where there are none, as mostly. */
	rulesOf(workspaceId: string, ingestTokenId?: string): RuleSet | undefined
}

interface WorkspaceRules {
	ofAll: RuleSet | undefined
	/** Each with the rules of all. */
	byToken: ReadonlyMap<string, RuleSet>
}

export function createRedactionView(db: Database): RedactionView & View {
	const byWorkspace = new Map<string, WorkspaceRules>()
	const set = (workspaceId: string, rows: readonly RedactionRuleRow[]) => {
		if (rows.length === 0) byWorkspace.delete(workspaceId)
		else byWorkspace.set(workspaceId, rulesOfRows(rows))
	}
	return {
		kinds: ['redaction_rules'],
		load: async () => {
			const rows = Map.groupBy(await listAllRulesForView(db), (row) => row.workspace_id)
			byWorkspace.clear()
			for (const [workspaceId, own] of rows) set(workspaceId, own)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await listRulesForView(db, workspaceId)),
		rulesOf: (workspaceId, ingestTokenId = '') => {
			const own = byWorkspace.get(workspaceId)
			return own?.byToken.get(ingestTokenId) ?? own?.ofAll
		},
	}
}

function rulesOfRows(rows: readonly RedactionRuleRow[]): WorkspaceRules {
	const heldFor = (token: string | null) =>
		rows.filter(({ ingest_token_id }) => ingest_token_id === null || ingest_token_id === token)
	const tokens = new Set(rows.flatMap(({ ingest_token_id }) => ingest_token_id ?? []))
	const ofAll = heldFor(null)
	return {
		ofAll: ofAll.length > 0 ? toSet(ofAll) : undefined,
		byToken: new Map([...tokens].map((token) => [token, toSet(heldFor(token))])),
	}
}

function toSet(rows: readonly RedactionRuleRow[]): RuleSet {
	const rules = rows.map(toRule)
	return { key: JSON.stringify(rules), rules }
}
