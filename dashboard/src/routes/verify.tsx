import { createFileRoute } from '@tanstack/react-router'
import { VerifyScreen } from '../areas/identity/verify-screen.tsx'

export const Route = createFileRoute('/verify')({ component: VerifyScreen })
