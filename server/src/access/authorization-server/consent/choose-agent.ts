import { byScope } from '@signalbox/contract'
import { actorOf } from '../../../accounts/audit/index.ts'
import { lockNumbering } from '../../../platform/changes.ts'
import { type DatabaseTransaction, lockGroups } from '../../../platform/database/index.ts'
import { notFound } from '../../../platform/errors.ts'
import { authorize, type UserPrincipal } from '../../../platform/http/index.ts'
import type { AuthorizationContext } from '../authorization-context.ts'
import { findMember, findPersonalAgent, insertPersonalAgent } from '../authorization-repository.ts'

/** A client that acts as an agent is as good as a key of it, so it takes who may make such keys. */
const choosing = byScope('keys:write')

export function mayChooseAgent(person: UserPrincipal): boolean {
	return authorize(choosing, person) === null
}

/** The agent that a client will act as: the person's own, made at its first use, or another one of the workspace. */
export async function chooseAgent(
	context: AuthorizationContext,
	tx: DatabaseTransaction,
	person: UserPrincipal,
	wanted: string | undefined,
	requestId: string,
): Promise<string> {
	const { workspaceId, userId } = person
	const own = await findPersonalAgent(tx, workspaceId, userId)
	if (wanted === undefined) return own ?? addOwnAgent(context, tx, person, requestId)
	if (wanted === own) return own
	const refusal = authorize(choosing, person)
	if (refusal) throw refusal
	if (context.agents.view.get(wanted)?.workspaceId !== workspaceId) throw notFound('agent')
	return wanted
}

async function addOwnAgent(
	{ agents }: AuthorizationContext,
	tx: DatabaseTransaction,
	person: UserPrincipal,
	requestId: string,
): Promise<string> {
	const { workspaceId, userId, email } = person
	// Its lock comes before all others, and a new agent may have groups.
	await lockGroups(tx)
	// Two clients that are connected at the same moment share one agent.
	await lockNumbering(tx)
	const made = await findPersonalAgent(tx, workspaceId, userId)
	if (made !== undefined) return made
	const member = await findMember(tx, workspaceId, userId)
	const agentId = await agents.add(tx, {
		workspaceId,
		name: `${(member?.name || email).slice(0, 80)}'s assistant`,
		description: `The assistants of ${email}`,
		groups: JSON.parse(member?.agent_groups ?? '[]') as string[],
		by: actorOf(person),
		requestId,
	})
	await insertPersonalAgent(tx, workspaceId, userId, agentId)
	return agentId
}
