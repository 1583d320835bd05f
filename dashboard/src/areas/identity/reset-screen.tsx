import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { linkClass } from '../../ui/link.ts'
import { InlineError } from '../../ui/states.tsx'
import { BrokenLink } from './broken-link.tsx'
import { PasswordField } from './entry-fields.tsx'
import { SignInLayout } from './sign-in-layout.tsx'
import { useLinkSecret } from './use-link-secret.ts'

export function ResetScreen() {
	const token = useLinkSecret()
	const [password, setPassword] = useState('')
	const queries = useQueryClient()
	const reset = useMutation({
		mutationFn: () => unwrap(api.POST('/auth/password/reset', { body: { token, password } })),
		// All sessions of the person have ended, including this browser's.
		onSuccess: () => queries.clear(),
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		reset.mutate()
	}
	if (!token) return <BrokenLink kind="reset" />
	if (reset.isSuccess) {
		return (
			<SignInLayout title="Password set" text="You have been signed out everywhere.">
				<Link to="/sign-in" className={cn(buttonClass('primary'), 'w-full')}>
					Sign in
				</Link>
			</SignInLayout>
		)
	}
	return (
		<SignInLayout
			title="Choose a new password"
			text="Setting it signs you out everywhere."
			below={
				<Link to="/forgot" className={linkClass}>
					Get another link
				</Link>
			}
		>
			<form onSubmit={submit} className="grid gap-4">
				<PasswordField
					label="New password"
					isNew
					value={password}
					onChange={setPassword}
					error={reset.error}
				/>
				<Button type="submit" variant="primary" busy={reset.isPending}>
					Set password
				</Button>
				{reset.error && <InlineError error={reset.error} />}
			</form>
		</SignInLayout>
	)
}
