import { createFileRoute } from '@tanstack/react-router'
import { AccountScreen } from '../../areas/identity/account-screen.tsx'

export const Route = createFileRoute('/_app/account')({ component: AccountScreen })
