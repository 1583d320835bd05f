import { sql } from 'kysely'
import { expect, it } from 'vitest'
import * as initial from '../../../migrations/0001-initial.ts'
import * as grants from '../../../migrations/0008-grants.ts'
import type { Database } from '../../platform/database/database.ts'
import { openBareSqlite } from '../../platform/database/testing.ts'
import { listGrantsForView } from './grant-repository.ts'

it('existing grants stay as direct grants, and agents may call every model', async () => {
	const { store, end } = openBareSqlite()
	const db = store.db as Database
	await initial.up(db as never)
	await sql`insert into workspaces values ('w', 'W', 1, 1)`.execute(db)
	await sql`insert into agents (id, workspace_id, name, description, status, created_at, updated_at)
		values ('a', 'w', 'A', '', 'active', 1, 1)`.execute(db)
	await sql`insert into mcp_servers (id, workspace_id, name, slug, description, endpoint_url, transport_type, hosting_mode,
		status, health_status, failures, last_health_check, configuration, created_at, updated_at)
		values ('s', 'w', 'S', 's', '', 'http://x', 'http', 'remote', 'active', 'healthy', 0, 1, '{}', 1, 1)`.execute(
		db,
	)
	await sql`insert into access_grants values ('g', 'w', 's', 'a', 'selected', '["echo"]', 0, 1, 2)`.execute(
		db,
	)
	await grants.up(db as never)
	expect((await listGrantsForView(db)).map((row) => ({ ...row }))).toEqual([
		{
			id: 'g',
			workspace_id: 'w',
			server_id: 's',
			agent_id: 'a',
			source: 'manual',
			access_mode: 'selected',
			allowed_tools: '["echo"]',
			enabled: 0,
			expires_at: null,
			constraints: null,
			approval: null,
			created_at: 1,
			updated_at: 2,
		},
	])
	const [agent] = await db.selectFrom('agents').select('model_access').execute()
	expect({ ...agent }).toEqual({ model_access: '{"mode":"all"}' })
	await sql`delete from agents where id = 'a'`.execute(db)
	expect(await listGrantsForView(db)).toEqual([])
	await end()
})
