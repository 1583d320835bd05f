import type { Queryable } from '../../../platform/database/index.ts'
import { listMemberships } from './account-repository.ts'

/** The workspace in whose audit log a person's own affairs stand: the first they joined, '' without any. */
export async function homeOf(db: Queryable, userId: string): Promise<string> {
	const [first] = await listMemberships(db, userId)
	return first?.id ?? ''
}
