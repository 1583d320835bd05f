import { createFileRoute } from '@tanstack/react-router'
import { SignInScreen } from '../areas/identity/sign-in-screen.tsx'

export const Route = createFileRoute('/sign-in')({
	validateSearch: (search: Record<string, unknown>): { next?: string; error?: string } => ({
		...(typeof search.next === 'string' && { next: search.next }),
		...(typeof search.error === 'string' && { error: search.error }),
	}),
	component: SignInScreen,
})
