import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { sessionsQuery } from './account-queries.ts'
import { HiddenUsername, PasswordField } from './entry-fields.tsx'
import { useMe } from './session.ts'

export function ChangePassword() {
	const { user } = useMe()
	const queries = useQueryClient()
	const [current, setCurrent] = useState('')
	const [next, setNext] = useState('')
	const change = useMutation({
		mutationFn: () =>
			unwrap(api.POST('/auth/password/change', { body: { current_password: current, new_password: next } })),
		onSuccess: async () => {
			setCurrent('')
			setNext('')
			toast('Password changed; your other sessions ended')
			await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		change.mutate()
	}
	const hasNone = change.error instanceof ApiError && change.error.code === 'no_password'
	return (
		<Panel title="Password">
			<form onSubmit={submit} className="grid max-w-sm gap-4">
				<HiddenUsername email={user.email} />
				<PasswordField
					label="Current password"
					pointer="/current_password"
					value={current}
					onChange={setCurrent}
					error={change.error}
				/>
				<PasswordField
					label="New password"
					isNew
					pointer="/new_password"
					value={next}
					onChange={setNext}
					error={change.error}
				/>
				<Button type="submit" variant="primary" className="justify-self-start" busy={change.isPending}>
					Change password
				</Button>
				{change.error && <InlineError error={change.error} />}
			</form>
			{hasNone ? (
				<FirstPassword email={user.email} />
			) : (
				<p className="mt-3 text-xs text-ink-3">Changing it signs out your other sessions.</p>
			)}
		</Panel>
	)
}

/** An account created by sign-in with a provider gets its first password by the link for a forgotten one. */
function FirstPassword({ email }: { email: string }) {
	const ask = useMutation({
		mutationFn: () => unwrap(api.POST('/auth/password/forgot', { body: { email } })),
	})
	return (
		<div className="mt-3 flex flex-wrap items-center gap-3">
			<Button busy={ask.isPending} disabled={ask.isSuccess} onClick={() => ask.mutate()}>
				Mail me a link that sets one
			</Button>
			{ask.isSuccess && <span role="status">A link is on its way to {email}.</span>}
			{ask.error && <InlineError error={ask.error} />}
		</div>
	)
}
