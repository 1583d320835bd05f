import { type Scope, scopes, tokenPrefixes } from '@signalbox/contract'
import { lockNumbering } from '../../../platform/changes.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/token.ts'
import type { DatabaseTransaction } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/ids.ts'
import { systemActor } from '../../audit/audit.ts'
import { findWorkspaceByName, hasOperator } from '../accounts/account-repository.ts'
import { insertAccount, normaliseEmail } from '../accounts/new-account.ts'
import { refuseWeakPassword } from '../accounts/password-rules.ts'
import { createCredential } from '../credentials/create-credential.ts'
import { findCredentialByHash } from '../credentials/credential-repository.ts'
import type { IdentityContext } from '../identity-context.ts'
import type { IdentityConfig } from '../instance/instance-view.ts'
import { insertSetupLink } from './setup-repository.ts'

const actor = systemActor('headless start')

/** Creates the operator, the workspace `default` and its credentials from SIGNALBOX_INIT_*; idempotent. */
export async function startHeadless(context: IdentityContext): Promise<void> {
	const { config, mutate, hasher, store } = context
	if (!config.INIT_ADMIN_EMAIL || !config.INIT_ADMIN_PASSWORD) return
	checkForms(config)
	const email = normaliseEmail(config.INIT_ADMIN_EMAIL)
	refuseWeakPassword(config.INIT_ADMIN_PASSWORD, email)
	const passwordHash = (await hasOperator(store.db)) ? null : await hasher.hash(config.INIT_ADMIN_PASSWORD)
	await mutate(async (tx) => {
		await lockNumbering(tx)
		const workspaceId = await operatorWorkspace(context, tx, email, passwordHash)
		if (workspaceId === null) return
		await registerSecret(context, tx, workspaceId, 'platform', config.INIT_PLATFORM_KEY)
		await registerSecret(context, tx, workspaceId, 'ingest', config.INIT_INGEST_TOKEN)
	})
}

function checkForms({ INIT_ADMIN_EMAIL, INIT_PLATFORM_KEY, INIT_INGEST_TOKEN }: IdentityConfig): void {
	const hint = 'make one with `signalbox keys generate`'
	if (!/^[^@\s]+@[^@\s]+$/.test(INIT_ADMIN_EMAIL ?? ''))
		throw new Error('SIGNALBOX_INIT_ADMIN_EMAIL is not an e-mail address.')
	if (INIT_PLATFORM_KEY && !isToken(INIT_PLATFORM_KEY, tokenPrefixes.key)) {
		throw new Error(
			`SIGNALBOX_INIT_PLATFORM_KEY is not of the form ${tokenPrefixes.key} + 43 characters + checksum; ${hint}.`,
		)
	}
	if (INIT_INGEST_TOKEN && !isToken(INIT_INGEST_TOKEN, tokenPrefixes.ingestToken)) {
		throw new Error(
			`SIGNALBOX_INIT_INGEST_TOKEN is not of the form it_service_ + 43 characters + checksum; ${hint} --ingest.`,
		)
	}
}

/** The workspace `default`, created with its owner if the instance has no operator yet. */
async function operatorWorkspace(
	context: IdentityContext,
	tx: DatabaseTransaction,
	email: string,
	passwordHash: string | null,
): Promise<string | null> {
	if (passwordHash === null || (await hasOperator(tx)))
		return (await findWorkspaceByName(tx, 'default'))?.id ?? null
	const account = { email, passwordHash, name: '', operator: true, workspaceName: 'default' }
	const entry = { action: 'auth.setup', requestId: null, actor }
	return (await insertAccount(context, tx, account, entry)).workspaceId
}

async function registerSecret(
	context: IdentityContext,
	tx: DatabaseTransaction,
	workspaceId: string,
	kind: 'platform' | 'ingest',
	secret: string | null,
): Promise<void> {
	if (!secret || (await findCredentialByHash(tx, hashToken(secret)))) return
	const all: readonly Scope[] = kind === 'platform' ? scopes : []
	await createCredential(context, tx, {
		workspaceId,
		kind,
		name: 'headless start',
		scopes: all,
		by: actor,
		requestId: null,
		secret,
	})
}

const lifetimeMs = 15 * 60 * 1000

/** The secret of a new setup link, or null if there is already an operator. */
export async function newSetupToken(
	context: Pick<IdentityContext, 'store' | 'mutate' | 'clock'>,
): Promise<string | null> {
	return (await hasOperator(context.store.db)) ? null : addSetupToken(context)
}

/** The secret of a single-use link that creates an operator, valid for 15 minutes. Only its hash is stored. */
export async function addSetupToken({
	mutate,
	clock,
}: Pick<IdentityContext, 'mutate' | 'clock'>): Promise<string> {
	const secret = newToken(tokenPrefixes.setup)
	const nowMs = clock.nowMs()
	await mutate((tx) =>
		insertSetupLink(tx, { id: newId(nowMs), secret_hash: hashToken(secret), expires_at: nowMs + lifetimeMs }),
	)
	return secret
}

/** The secret is in the fragment, which browsers never send, so it stays out of logs and proxies. */
export function setupUrl(baseUrl: string, secret: string): string {
	return `${baseUrl.replace(/\/$/, '')}/ui/setup#${secret}`
}
