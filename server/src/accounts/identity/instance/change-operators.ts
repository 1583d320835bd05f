import { appendChange, lockNumbering } from '../../../platform/changes.ts'
import type { Clock } from '../../../platform/clock.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import type { Actor, Audit } from '../../audit/index.ts'
import { normaliseEmail } from '../accounts/new-account.ts'
import { findUserByEmail, listMemberships } from '../accounts/repository.ts'
import { countOperators, setOperator } from './repository.ts'

interface OperatorContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
	actor: Actor
}

/** Makes a person an operator, or no longer one; false when they were that already. Throws `not_found`, `last_operator`. */
export async function changeOperator(
	{ mutate, audit, clock, actor }: OperatorContext,
	email: string,
	operator: boolean,
): Promise<boolean> {
	const address = normaliseEmail(email)
	return mutate(async (tx) => {
		await lockNumbering(tx)
		const user = await findUserByEmail(tx, address)
		if (!user) throw notFound(`person as ${address}`)
		if ((user.operator === 1) === operator) return false
		if (!operator && (await countOperators(tx)) === 1) throw new Problem('last_operator')
		await setOperator(tx, user.id, operator, clock.nowMs())
		const [first] = await listMemberships(tx, user.id)
		await audit.record(tx, {
			workspaceId: first?.id ?? '',
			actor,
			action: operator ? 'instance.grant_operator' : 'instance.revoke_operator',
			target: { kind: 'user', id: user.id, name: user.email },
			detail: { operator: { before: !operator, after: operator } },
			requestId: null,
		})
		await appendChange(tx, 'user', user.id, clock)
		return true
	})
}
