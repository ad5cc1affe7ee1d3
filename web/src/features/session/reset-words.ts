import { wordsIn } from '../../words/index.ts'

const en = {
  title: 'Choose a password',
  hint: 'You log in with it afterwards.',
  noCode: 'This address has no code. Open the link of the e-mail once more.',
  anew: 'Ask for a new link',
  submit: 'Save the password',
  done: 'Your password is saved. Log in with it.',
}

const de: typeof en = {
  title: 'Passwort wählen',
  hint: 'Danach melden Sie sich damit an.',
  noCode: 'In dieser Adresse fehlt der Code. Öffnen Sie den Link der E-Mail noch einmal.',
  anew: 'Neuen Link anfordern',
  submit: 'Passwort speichern',
  done: 'Ihr Passwort ist gespeichert. Melden Sie sich damit an.',
}

/** What the page of a new password says. */
export const useResetWords = wordsIn({ en, de })
