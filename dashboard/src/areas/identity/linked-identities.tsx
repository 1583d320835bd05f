import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { basePath, uiPath } from '../../lib/base-url.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, InlineError, SkeletonRows } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { identitiesQuery } from './account-queries.ts'

type Provider = Schemas['SignInProvider']
type Identity = Schemas['LinkedIdentity']

/** The accounts at providers with which this person can sign in. Nothing if there are none and none can be added. */
export function LinkedIdentities({ providers }: { providers: readonly Provider[] }) {
	const { data, error, refetch } = useQuery(identitiesQuery)
	const identities = data?.identities ?? []
	if (data && providers.length === 0 && identities.length === 0) return null
	const free = providers.filter(({ id }) => !identities.some(({ provider }) => provider === id))
	return (
		<Panel title="Sign-in by other accounts">
			{error && !data ? (
				<ErrorState error={error} retry={() => void refetch()} />
			) : !data ? (
				<SkeletonRows rows={2} />
			) : (
				<ul className="grid gap-3">
					{identities.map((identity) => (
						<LinkedLine key={identity.id} identity={identity} label={labelOf(identity, providers)} />
					))}
					{free.map((provider) => (
						<FreeLine key={provider.id} provider={provider} />
					))}
				</ul>
			)}
		</Panel>
	)
}

function labelOf({ provider, issuer }: Identity, providers: readonly Provider[]): string {
	return providers.find(({ id }) => id === provider)?.label ?? new URL(issuer).host
}

function LinkedLine({ identity, label }: { identity: Identity; label: string }) {
	const [isOpen, setIsOpen] = useState(false)
	const queries = useQueryClient()
	const unlink = async () => {
		await unwrap(api.DELETE('/auth/identities/{id}', { params: { path: { id: identity.id } } }))
		toast(`${label} is unlinked`)
		await queries.invalidateQueries()
	}
	return (
		<li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
			<div className="min-w-0">
				<p className="font-medium break-words">
					{label}
					{identity.email && <span className="font-normal text-ink-2"> · {identity.email}</span>}
				</p>
				<p className="text-xs text-ink-3">
					{identity.provider === null && 'The operator has removed this provider. '}
					Linked <Ago at={identity.created_at} />, used <Ago at={identity.last_used_at} />
				</p>
			</div>
			<Button small variant="danger" aria-label={`Unlink ${label}`} onClick={() => setIsOpen(true)}>
				Unlink
			</Button>
			<Confirm
				open={isOpen}
				onClose={() => setIsOpen(false)}
				title={`Unlink ${label}?`}
				text="You can no longer sign in with it, and you lose workspaces that came from its groups."
				action="Unlink"
				run={unlink}
			/>
		</li>
	)
}

function FreeLine({ provider: { id, label } }: { provider: Provider }) {
	const link = useMutation({
		mutationFn: async () => {
			const params = { params: { path: { provider: id } } }
			const body = { return_to: `${uiPath().slice(basePath.length)}/account` }
			const { url } = await unwrap(api.POST('/auth/oauth/{provider}/link', { ...params, body }))
			location.assign(url)
		},
	})
	return (
		<li>
			<div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
				<p className="text-ink-2">{label} is not linked</p>
				<Button small icon="link" busy={link.isPending} onClick={() => link.mutate()}>
					Link {label}
				</Button>
			</div>
			{link.error && <InlineError error={link.error} />}
		</li>
	)
}
