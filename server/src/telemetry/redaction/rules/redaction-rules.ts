import {
	type BodyOf,
	type OutputOf,
	type RedactionTarget,
	redactionRuleOperations,
} from '@signalbox/contract'
import { type Audit, recordChange } from '../../../accounts/audit/audit.ts'
import { hasIngestToken } from '../../../accounts/identity/identity.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange, type ChangeFeed, type View } from '../../../platform/changes.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import {
	type ControlStore,
	type Database,
	type DatabaseTransaction,
	duplicateOf,
	type Queryable,
} from '../../../platform/database/database.ts'
import { ownedRows, requireRoom } from '../../../platform/database/owned-rows.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { paginate } from '../../../platform/paging.ts'
import { requireOwnPattern } from '../../../platform/redaction/own-pattern.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import { compileRule, type RedactionRule, type RuleSet, redactorOf } from '../redactor.ts'

type RedactionRuleRow = ControlSchema['redaction_rules']

const {
	find: findRule,
	list: listRules,
	count: countRules,
	insert: insertRule,
	update: updateRule,
	remove: deleteRule,
} = ownedRows('redaction_rules')

type RedactionRuleDocument = OutputOf<(typeof redactionRuleOperations)['get']>

function presentRule(row: RedactionRuleRow): RedactionRuleDocument {
	return {
		id: row.id,
		name: row.name,
		pattern: row.pattern,
		label: row.label,
		applies_to: JSON.parse(row.applies_to) as RedactionTarget[],
		attribute_keys: JSON.parse(row.attribute_keys) as string[],
		ingest_token_id: row.ingest_token_id,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

/** Converts a row to a rule. */
function toRule(row: RedactionRuleRow): RedactionRule {
	const { pattern, label, applies_to: appliesTo, attribute_keys: attributeKeys } = presentRule(row)
	return { pattern, label, appliesTo, attributeKeys }
}

function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'redaction_rule', detail }],
	})
}

type Created = BodyOf<(typeof redactionRuleOperations)['create']>
type Updated = BodyOf<(typeof redactionRuleOperations)['update']>

interface RedactionRuleContext {
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
}

/** Each text is searched for all of them. */
const maxRules = 20
const readOnly = ['id', 'created_at', 'updated_at']

/** A rule of the workspace. A malformed id or one of another workspace is the same 404 as an unknown id. */
async function ruleOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<RedactionRuleRow> {
	const row = await findRule(db, workspaceId, id)
	if (!row) throw notFound('redaction rule')
	return row
}

async function createRule(
	context: RedactionRuleContext,
	request: RequestContext,
	body: Created,
): Promise<RedactionRuleDocument> {
	const nowMs = context.clock.nowMs()
	const row: RedactionRuleRow = {
		id: newId(nowMs),
		workspace_id: principalIn(request).workspaceId,
		name: body.name,
		pattern: body.pattern,
		label: body.label,
		applies_to: JSON.stringify(body.applies_to),
		attribute_keys: JSON.stringify(body.attribute_keys ?? []),
		ingest_token_id: body.ingest_token_id ?? null,
		created_at: nowMs,
		updated_at: nowMs,
	}
	checkRule(row)
	return context.mutate(async (tx) => {
		await requireToken(tx, row)
		await requireRoom(tx, row.workspace_id, { most: maxRules, what: 'redaction rules', count: countRules })
		await insertRule(tx, row).catch(rethrowNameTaken)
		await note(tx, context, request, 'create', row)
		return presentRule(row)
	})
}

async function changeRule(
	context: RedactionRuleContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<RedactionRuleDocument> {
	return context.mutate(async (tx) => {
		const before = await ruleOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = presentRule(before)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const row = {
			...before,
			name: body.name ?? before.name,
			pattern: body.pattern ?? before.pattern,
			label: body.label ?? before.label,
			applies_to: body.applies_to ? JSON.stringify(body.applies_to) : before.applies_to,
			attribute_keys: body.attribute_keys ? JSON.stringify(body.attribute_keys) : before.attribute_keys,
			ingest_token_id: body.ingest_token_id === undefined ? before.ingest_token_id : body.ingest_token_id,
			updated_at: context.clock.nowMs(),
		}
		checkRule(row)
		await requireToken(tx, row)
		await updateRule(tx, row.workspace_id, row.id, row).catch(rethrowNameTaken)
		await note(tx, context, request, 'update', row)
		return presentRule(row)
	})
}

async function removeRule(context: RedactionRuleContext, request: RequestContext, id: string): Promise<void> {
	await context.mutate(async (tx) => {
		const row = await ruleOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentRule(row))
		await deleteRule(tx, row.workspace_id, id)
		await note(tx, context, request, 'delete', row)
	})
}

function checkRule(row: RedactionRuleRow): void {
	const { applies_to, attribute_keys } = presentRule(row)
	requireOwnPattern(row.pattern, refused)
	if (applies_to.includes('attributes') !== attribute_keys.length > 0)
		throw refused('attribute_keys', 'are for `applies_to: attributes`, which needs them')
}

async function requireToken(tx: Queryable, row: RedactionRuleRow): Promise<void> {
	const { workspace_id, ingest_token_id: token } = row
	if (token !== null && !(await hasIngestToken(tx, workspace_id, token)))
		throw refused('ingest_token_id', 'is no ingest token of this workspace')
}

async function note(
	tx: DatabaseTransaction,
	context: RedactionRuleContext,
	request: RequestContext,
	verb: 'create' | 'update' | 'delete',
	row: RedactionRuleRow,
): Promise<void> {
	const { name, pattern, label, applies_to, attribute_keys, ingest_token_id } = presentRule(row)
	const detail = { name, pattern, label, applies_to, attribute_keys, ingest_token_id }
	const target = { kind: 'redaction_rule', id: row.id, name }
	await recordChange(tx, context, request, { action: `redaction-rules.${verb}`, target, detail })
	// The view keeps a workspace's rules in one piece.
	await appendChange(tx, 'redaction_rules', row.workspace_id, context.clock)
}

function rethrowNameTaken(error: unknown): never {
	if (duplicateOf(error) !== null)
		throw new Problem('name_taken', 'Another redaction rule has this name.', { cause: error })
	throw error
}

type Trial = BodyOf<(typeof redactionRuleOperations)['try']>
type Outcome = OutputOf<(typeof redactionRuleOperations)['try']>

/** The result of redacting a text: with one rule alone, or as content of a workspace with these rules. */
function tryRules({ text, pattern, label }: Trial, rules: RuleSet | undefined): Outcome {
	if ((pattern === undefined) !== (label === undefined))
		throw refused(pattern === undefined ? 'pattern' : 'label', 'is needed too')
	const found: Set<string> = new Set()
	if (pattern === undefined || label === undefined) {
		const left = redactorOf(rules).content(text, found) as string
		return { text: left, found: [...found] }
	}
	requireOwnPattern(pattern, refused)
	const rule = compileRule({ pattern, label, appliesTo: ['content'], attributeKeys: [] })
	return { text: rule.redact(text, found), found: [...found] }
}

interface RedactionRuleDependencies extends RedactionRuleContext {
	store: ControlStore
	feed: ChangeFeed
}

/** The workspaces' own redaction rules: managed here, and held in memory for everything that records telemetry. */
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

/** The workspaces' own redaction rules, in memory. */
export interface RedactionView {
	/** The rules of the workspace together with those of the ingest token; undefined if there are none, which is the usual case. */
	rulesOf(workspaceId: string, ingestTokenId?: string): RuleSet | undefined
}

interface WorkspaceRules {
	ofAll: RuleSet | undefined
	/** By ingest token: its own rules and those of the workspace. */
	byToken: ReadonlyMap<string, RuleSet>
}

function createRedactionView(db: Database): RedactionView & View {
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

/** Redacts a text that people or models said: with the built-in detectors and the workspace's own rules. */
export type RedactContent = (workspaceId: string, text: string) => string

function createRedactContent(view: RedactionView): RedactContent {
	return (workspaceId, text) => String(redactorOf(view.rulesOf(workspaceId)).content(text, new Set()))
}

/** For the view in memory: the rules of one workspace in the order in which they are applied. */
function listRulesForView(db: Queryable, workspaceId: string): Promise<RedactionRuleRow[]> {
	return db
		.selectFrom('redaction_rules')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.orderBy('id')
		.execute()
}

/** For the view in memory, which covers all workspaces. */
function listAllRulesForView(db: Queryable): Promise<RedactionRuleRow[]> {
	return db.selectFrom('redaction_rules').selectAll().orderBy('id').execute()
}
