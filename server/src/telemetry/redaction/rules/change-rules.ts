import type { BodyOf, redactionRuleOperations } from '@signalbox/contract'
import { type Audit, actorOf } from '../../../accounts/audit/index.ts'
import { hasIngestToken } from '../../../accounts/identity/index.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { appendChange } from '../../../platform/changes.ts'
import type { Clock } from '../../../platform/clock.ts'
import { type DatabaseTransaction, duplicateOf, type Queryable } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { principalIn, type RequestContext } from '../../../platform/http/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import { checkPattern, refused } from './check-pattern.ts'
import { presentRule, type RedactionRuleDocument } from './present-rule.ts'
import {
	countRules,
	deleteRule,
	findRule,
	insertRule,
	type RedactionRuleRow,
	updateRule,
} from './repository.ts'

type Created = BodyOf<(typeof redactionRuleOperations)['create']>
type Updated = BodyOf<(typeof redactionRuleOperations)['update']>

export interface RedactionRuleContext {
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	clock: Clock
}

/** Each text is searched for all of them. */
const mostRules = 20
const readOnly = ['id', 'created_at', 'updated_at']

/** A rule of the workspace, or the 404 that also stands for malformed ids and other workspaces. */
export async function ruleOrNotFound(
	db: Queryable,
	workspaceId: string,
	id: string,
): Promise<RedactionRuleRow> {
	const row = await findRule(db, workspaceId, id)
	if (!row) throw notFound('rule of redaction')
	return row
}

export async function createRule(
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
		if ((await countRules(tx, row.workspace_id)) >= mostRules)
			throw new Problem('conflict', `A workspace has at most ${mostRules} rules of redaction.`)
		await insertRule(tx, row).catch(rethrowNameTaken)
		await note(tx, context, request, 'create', row)
		return presentRule(row)
	})
}

export async function changeRule(
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

export async function removeRule(
	context: RedactionRuleContext,
	request: RequestContext,
	id: string,
): Promise<void> {
	await context.mutate(async (tx) => {
		const row = await ruleOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(presentRule(row))
		await deleteRule(tx, row.workspace_id, id)
		await note(tx, context, request, 'delete', row)
	})
}

function checkRule(row: RedactionRuleRow): void {
	const { applies_to, attribute_keys } = presentRule(row)
	checkPattern(row.pattern)
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
	{ audit, clock }: RedactionRuleContext,
	request: RequestContext,
	verb: 'create' | 'update' | 'delete',
	row: RedactionRuleRow,
): Promise<void> {
	const { name, pattern, label, applies_to, attribute_keys, ingest_token_id } = presentRule(row)
	await audit.record(tx, {
		workspaceId: row.workspace_id,
		actor: actorOf(principalIn(request)),
		action: `redaction-rules.${verb}`,
		target: { kind: 'redaction_rule', id: row.id, name },
		detail: { name, pattern, label, applies_to, attribute_keys, ingest_token_id },
		requestId: request.requestId,
	})
	await appendChange(tx, 'redaction_rules', row.workspace_id, clock)
}

function rethrowNameTaken(error: unknown): never {
	if (duplicateOf(error) !== null)
		throw new Problem('name_taken', 'Another rule of redaction has this name.', { cause: error })
	throw error
}
