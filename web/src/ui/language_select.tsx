/** The language of the page. */

import { isLanguage, LANGUAGES, language, speak } from "../i18n/text";
import { prefer } from "./prefs";

/** The languages, each by its own name. */
export function LanguageSelect() {
  const change = (event: { currentTarget: HTMLSelectElement }) => {
    const next = event.currentTarget.value;
    if (!isLanguage(next)) return;
    prefer({ language: next });
    void speak(next);
  };
  return (
    <select value={language.value} onChange={change}>
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}
