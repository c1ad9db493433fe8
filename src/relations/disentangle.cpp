// The order of steps: sizes, the model, evidence, certainty, known edges, names.
#include "factorgcn/relations/disentangle.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/eval/assignment.h"
#include "relations/asking.h"
#include "relations/attributes.h"
#include "relations/certainty.h"
#include "relations/edge_features.h"
#include "relations/evidence.h"
#include "relations/known_edges.h"
#include "relations/scales.h"
#include "relations/selection.h"
#include "relations/session.h"
#include "relations/sides.h"
#include "relations/told_groups.h"

namespace factorgcn {
namespace relations {
namespace {

constexpr int kMostRelations = 64, kMostGroups = 1000, kMostColumns = 1000;
constexpr int kScaleStarts = 10;
constexpr std::int64_t kFewestLinks = 30, kMostClasses = 64;  // for attributes to enter
constexpr double kStable = 0.4;  // agreement from which on a relation counts as found again

void check_disentangle_options(const DisentangleOptions& options) {
  require_usage(options.relations >= 0 && options.relations <= kMostRelations, "--relations ", options.relations,
                ": give 1 to ", kMostRelations, ", or leave it out to have it chosen");
  require_usage(options.groups >= 0 && options.groups <= kMostGroups, "--groups ", options.groups, ": give 1 to ",
                kMostGroups, ", or leave it out to have it chosen");
  require_usage(std::max(options.relations, 1) * std::max(options.groups, 1) <= kMostColumns, options.relations,
                " relations of ", options.groups, " groups are more than ", kMostColumns, " groups in all");
  require_usage(options.most_relations >= 1 && options.most_groups >= 2, "relations: sizes to try must reach at least ",
                "1 relation of 2 groups");
}

class Disentangler {
 public:
  Disentangler(const RelationGraph& graph, const DisentangleOptions& options, const KnownEdges& known,
               const std::vector<NodeAttribute>& attributes, RelationsObserver& observer)
      : graph_(graph), options_(options), known_(known), attributes_(attributes), session_(observer) {}

  Disentangled run() {
    options_.relations = options_.relations > 0 ? std::max(options_.relations, known_.relations) : known_.relations;
    session_.at("reading the graph", 0);
    links_ = make_links(graph_);
    effort_ = usual_effort(links_.links());
    effort_.starts = options_.starts > 0 ? options_.starts : effort_.starts;
    if (graph_.edges() == 0) {
      result_.notes.emplace_back("the graph has no edges");
      return nothing();
    }
    const bool large = links_.links() >= kManyLinks;
    choosing_ = !large ? 0.6 : options_.relations > 0 && options_.groups > 0 ? 0.65 : 0.8;
    const bool may_have_sides = graph_.directed && known_.empty();
    selection_ = select_sizes(links_, options_, effort_, session_, may_have_sides ? choosing_ / 2 : choosing_);
    if (may_have_sides) {
      consider_sides();
    }
    consider_attributes();
    result_.candidates = selection_.candidates;
    if (!selection_.note.empty()) {
      result_.notes.push_back(selection_.note);
    }
    result_.evidence = weigh_evidence(links_, selection_, options_, effort_, session_, choosing_);
    if (selection_.best.told >= 0 && result_.evidence.verdict == RelationsVerdict::kNone) {
      result_.evidence.verdict = RelationsVerdict::kOne;  // left-out edges said so, whatever edges alone show
    }
    find_shares();
    learn();
    describe_relations();
    choose_strongest();
    result_.ask = edges_to_ask(graph_, mean_shares_, result_.num_relations(), known_,
                               static_cast<int>(std::min<std::int64_t>(options_.ask, graph_.edges())));
    session_.at("done", 1);
    return std::move(result_);
  }

 private:
  Disentangled nothing() {
    const int relations = std::max(options_.relations, 1);
    for (int relation = 0; relation < relations; ++relation) {
      result_.relations.push_back({.name = concat("relation ", relation + 1), .groups = 1, .first_group = relation});
    }
    result_.memberships.assign(static_cast<std::size_t>(graph_.nodes) * relations, 1.0F);
    return std::move(result_);
  }

  /// Are there groups for sending and others for receiving?
  void consider_sides() {
    session_.name_keys("sides ");
    Links sides = two_sided_links(graph_);
    Selection selection = select_sizes(sides, options_, effort_, session_, choosing_);
    session_.name_keys("");
    session_.at("what direction says", choosing_);
    const auto fit_of = [&](const Links& links, const Selection& sizes) {
      FitOptions fit{.relations = sizes.best.relations(),
                     .groups = std::max(sizes.groups, 2),
                     .effort = effort_,
                     .seed = options_.seed,
                     .stop = session_.stop()};
      if (links.links() >= kManyLinks) {
        fit.effort = quick_effort();
      }
      return fit;
    };
    const SidesEvidence evidence = weigh_sides(graph_, fit_of(links_, selection_), fit_of(sides, selection));
    session_.leave_if_stopped();
    const std::string numbers =
        concat(format_fixed(evidence.with, 2), " bits for each of ", evidence.left_out, " edges that were left out, ",
               format_fixed(evidence.without, 2), " with the same groups");
    if (!evidence.help) {
      result_.notes.push_back(concat("direction: groups of their own for sending and receiving do not help (", numbers,
                                     " for both), so edges were taken as undirected"));
      return;
    }
    result_.notes.push_back(concat("direction: nodes have groups for sending and others for receiving (", numbers,
                                   " for both); an edge leads from a group's senders to its receivers, and the groups "
                                   "shown are those of senders"));
    sided_graph_ = two_sides(graph_);
    fitted_ = &sided_graph_;
    links_ = std::move(sides);
    selection_ = std::move(selection);
  }

  /// Does an attribute say which groups one relation has?
  void consider_attributes() {
    if (!known_.empty() || attributes_.empty() || fitted_ != &graph_ || links_.links() >= kManyLinks ||
        links_.links() < kFewestLinks) {
      return;
    }
    session_.at("what attributes say", choosing_);
    const int groups = std::max(selection_.groups, 2);
    const auto most = static_cast<int>(std::min<std::int64_t>(kMostClasses, graph_.nodes / 3));
    std::vector<Classes> classes;
    for (const NodeAttribute& attribute : attributes_) {
      classes.push_back(classes_to_follow(attribute, groups, most));
    }
    FitOptions fit{.relations = std::max(selection_.best.relations(), 1),
                   .groups = groups,
                   .effort = effort_,
                   .seed = options_.seed,
                   .stop = session_.stop()};
    fit.effort.starts = std::min(effort_.starts, 3);
    const bool may_add = options_.relations == 0;
    const ToldEvidence evidence = weigh_attributes(graph_, classes, may_add, fit);
    session_.leave_if_stopped();
    if (evidence.best < 0) {
      result_.notes.emplace_back(
          "attributes: none says more of where edges lead than it does shuffled, so none was used");
      return;
    }
    const std::string numbers = concat(format_fixed(evidence.with, 2), " bits for each of ", evidence.left_out,
                                       " edges that were left out, ", format_fixed(evidence.without, 2), " without it");
    const std::string& name = attributes_[static_cast<std::size_t>(evidence.best)].name;
    if (evidence.attribute < 0) {
      result_.notes.push_back(concat("attributes: '", name,
                                     "' says most of the groups, but not clearly where edges lead (", numbers,
                                     "), so none was used"));
      return;
    }
    told_ = std::move(classes[static_cast<std::size_t>(evidence.attribute)]);
    Partitions told = with_told_groups(links_, selection_.best, told_, may_add, options_.seed);
    if (told.told < 0) {
      told_.clear();
      result_.notes.push_back(concat("attributes: '", name, "' helps where edges are left out (", numbers,
                                     "), but not where all are there, so it was not used"));
      return;
    }
    result_.notes.push_back(concat("attributes: the groups of one relation start from '", name, "' (", numbers, ")"));
    const bool other_sizes = told.relations() != selection_.best.relations();
    if (told.relations() == 1 && !(told.bits >= selection_.one)) {
      selection_.one = told.bits;
    }
    selection_.best = std::move(told);
    if (other_sizes) {
      for (RelationsCandidate& candidate : selection_.candidates) {
        candidate.chosen = false;
      }
      RelationsCandidate candidate;
      candidate.relations = selection_.best.relations();
      candidate.groups = *std::max_element(selection_.best.groups_in.begin(), selection_.best.groups_in.end());
      candidate.bits_per_edge = selection_.best.bits / static_cast<double>(links_.links());
      candidate.chosen = true;
      selection_.candidates.push_back(candidate);
    }
  }

  void find_shares() {
    by_scale_ = result_.evidence.verdict != RelationsVerdict::kSeveral && selection_.best.relations() > 1 &&
                options_.relations > 1 && options_.groups == 0 && selection_.best.told < 0;
    if (by_scale_) {
      session_.at("partitions of different coarseness", choosing_ + 0.03);
      if (fitted_ != &graph_) {
        fitted_ = &graph_;
        links_ = make_links(graph_);
        result_.notes.emplace_back("direction does not enter these");
      }
      Scales scales = find_scales(links_, graph_, options_.relations, links_.links() <= kFewLinks ? kScaleStarts : 2,
                                  options_.seed, session_.stop());
      session_.leave_if_stopped();
      model_ = std::move(scales.model);
      shares_ = std::move(scales.shares);
      mean_shares_ = shares_;
      stability_ = std::move(scales.stability);
      result_.notes.emplace_back(
          "nothing says that groups of different relations cut across each other; relations "
          "are partitions of different coarseness");
      return;
    }
    if (options_.relations == 0 && result_.evidence.verdict == RelationsVerdict::kNone) {
      selection_.best = selection_.none;
      selection_.best.groups_in = {1};
      selection_.best.group.assign(static_cast<std::size_t>(links_.nodes), 0);
      selection_.best.rate = {{selection_.best.background}};
    }
    session_.at("shares of edges", choosing_ + 0.03, choosing_ + 0.1, effort_.polish_rounds);
    model_ = finish(links_, selection_.best, effort_, session_.stop());
    session_.leave_if_stopped();
    shares_ = relation_shares(links_, *fitted_, model_);
    if (model_.groups() == 1) {  // anybody with anybody, by whatever name
      std::fill(shares_.begin(), shares_.end(), 1.0F);
    }
    const int resamples = result_.evidence.verdict == RelationsVerdict::kNone ? 0
                          : options_.resamples >= 0                           ? options_.resamples
                                                                              : effort_.resamples;
    Certainty certainty = resample(links_, *fitted_, rounded(), shares_, std::max(selection_.groups, 2), effort_,
                                   resamples, options_.seed, session_, choosing_ + 0.1);
    mean_shares_ = std::move(certainty.shares);
    stability_ = std::move(certainty.stability);
    if (resamples == 0 && model_.relations() > 1 && result_.evidence.verdict != RelationsVerdict::kNone) {
      result_.notes.emplace_back("certainty is that of the one model fitted: no resamples were made");
    }
    if (resamples > 0 && result_.evidence.verdict != RelationsVerdict::kNone && !found_again()) {
      result_.evidence.verdict = RelationsVerdict::kUnstable;
    }
  }

  /// Of several relations two at least: one that is found again and leftovers are not several.
  bool found_again() const {
    const auto stable =
        std::count_if(stability_.begin(), stability_.end(), [](double stability) { return stability >= kStable; });
    return stable >= (result_.evidence.verdict == RelationsVerdict::kSeveral && stability_.size() > 1 ? 2 : 1);
  }

  Partitions rounded() const {
    Partitions partitions = round_model(links_, model_);
    partitions.told = selection_.best.told;
    partitions.classes = selection_.best.classes;
    return partitions;
  }

  /// Known relations come first and take the columns that are most like them.
  void learn() {
    const int columns = model_.relations();
    order_.resize(static_cast<std::size_t>(columns));
    std::iota(order_.begin(), order_.end(), 0);
    if (known_.empty()) {
      std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return edges_in(a) > edges_in(b); });
      return;
    }
    session_.at("learning from known edges", 0.98);
    const EdgeFeatures features = features_to_learn_from();
    Learnt learnt = learn_known_edges(links_, graph_, known_, features, session_);
    result_.known = std::move(learnt.report);
    learnt_ = std::move(learnt.probabilities);
    match_known();
  }

  /// Where relations are told apart by scale alone, a few scales more say more of an edge.
  EdgeFeatures features_to_learn_from() {
    constexpr int kScales = 5;
    if (!by_scale_ || model_.relations() >= kScales || links_.links() > kFewLinks) {
      return edge_features(links_, graph_, mean_shares_, model_.relations(), attributes_);
    }
    const Scales scales = find_scales(links_, graph_, kScales, kScaleStarts, options_.seed, session_.stop());
    session_.leave_if_stopped();
    return edge_features(links_, graph_, scales.shares, kScales, attributes_);
  }

  double edges_in(int column) const {
    double sum = 0;
    for (std::size_t at = static_cast<std::size_t>(column); at < shares_.size(); at += model_.relations()) {
      sum += shares_[at];
    }
    return sum;
  }

  void match_known() {
    const int columns = model_.relations(), named = known_.relations;
    std::vector<double> costs(static_cast<std::size_t>(named) * columns, 0);
    for (int relation = 0; relation < named; ++relation) {
      double mean = 0;
      for (std::int64_t edge = 0; edge < graph_.edges(); ++edge) {
        mean += learnt_[edge * named + relation] / static_cast<double>(graph_.edges());
      }
      for (std::int64_t edge = 0; edge < graph_.edges(); ++edge) {
        for (int column = 0; column < columns; ++column) {
          costs[static_cast<std::size_t>(relation) * columns + column] -=
              (learnt_[edge * named + relation] - mean) * mean_shares_[edge * columns + column];
        }
      }
    }
    const std::vector<int> matched = assign(named, columns, costs).column_of_row;
    std::vector<int> order = matched;
    for (int column = 0; column < columns; ++column) {
      if (std::find(matched.begin(), matched.end(), column) == matched.end()) {
        order.push_back(column);
      }
    }
    order_ = std::move(order);
  }

  void describe_relations() {
    const int columns = model_.relations(), relations = static_cast<int>(order_.size());
    const int named = known_.empty() ? 0 : known_.relations;
    int next = 0;
    for (int relation = 0; relation < relations; ++relation) {
      const int column = order_[relation];
      FoundRelation found;
      found.name = concat("relation ", relation + 1);
      found.first_group = next;
      found.groups = model_.first[column + 1] - model_.first[column];
      next += found.groups;
      found.stability = stability_[column];
      const AttributeMatch match = match_attribute(groups_of(column), found.groups, attributes_, options_.seed);
      if (match.attribute >= 0) {
        found.attribute = match.attribute;
        found.attribute_agreement = match.agreement;
        found.attribute_chance = match.chance;
      }
      result_.relations.push_back(std::move(found));
    }
    result_.shares.resize(static_cast<std::size_t>(graph_.edges()) * relations);
    std::vector<float> means(result_.shares.size());
    for (std::int64_t edge = 0; edge < graph_.edges(); ++edge) {
      for (int relation = 0; relation < relations; ++relation) {
        const std::size_t at = static_cast<std::size_t>(edge) * relations + relation;
        const std::size_t from = static_cast<std::size_t>(edge) * columns + order_[relation];
        result_.shares[at] = relation < named ? learnt_[edge * named + relation] : shares_[from];
        means[at] = relation < named ? learnt_[edge * named + relation] : mean_shares_[from];
        result_.relations[relation].edges += result_.shares[at];
      }
    }
    mean_shares_ = std::move(means);
    result_.memberships = memberships_of(0, next);
    if (fitted_ != &graph_) {
      result_.receiving = memberships_of(graph_.nodes, next);
    }
  }

  /// [N, columns] in the relations' order, of the model's rows from `first` on.
  std::vector<float> memberships_of(std::int64_t first, int columns) const {
    std::vector<float> memberships(static_cast<std::size_t>(graph_.nodes) * columns);
    for (std::int64_t node = 0; node < graph_.nodes; ++node) {
      const float* row = model_.z.row(first + node);
      float* out = memberships.data() + node * columns;
      for (const int column : order_) {
        out = std::copy_n(row + model_.first[column], model_.first[column + 1] - model_.first[column], out);
      }
    }
    return memberships;
  }

  /// Each node's strongest group in one relation of the model.
  std::vector<std::int32_t> groups_of(int column) const {
    std::vector<std::int32_t> groups;
    for (std::int64_t node = 0; node < graph_.nodes; ++node) {
      const float* row = model_.z.row(node);
      const float* first = row + model_.first[column];
      groups.push_back(static_cast<std::int32_t>(std::max_element(first, row + model_.first[column + 1]) - first));
    }
    return groups;
  }

  /// How probable it is that the strongest relation is right: its mean share over the result and the resamples, and of
  /// what belongs to nobody's group as much as the relation has of all edges. Where nothing tells several relations
  /// apart, one is as good as another, however sure the model is of itself. Known edges give probabilities.
  void choose_strongest() {
    const int relations = result_.num_relations();
    result_.strongest.resize(static_cast<std::size_t>(graph_.edges()));
    result_.certainty.resize(result_.strongest.size());
    const RelationsVerdict verdict = result_.evidence.verdict;
    const bool nothing_tells_apart =
        known_.empty() && told_.empty() && (verdict == RelationsVerdict::kNone || verdict == RelationsVerdict::kOne);
    double in_relations = 1e-12;
    for (const FoundRelation& relation : result_.relations) {
      in_relations += relation.edges;
    }
    for (std::int64_t edge = 0; edge < graph_.edges(); ++edge) {
      const float* row = result_.shares.data() + edge * relations;
      const auto strongest = std::max_element(row, row + relations) - row;
      result_.strongest[edge] = static_cast<std::int32_t>(strongest);
      const float* mean = mean_shares_.data() + edge * relations;
      double certainty = mean[strongest];
      if (nothing_tells_apart) {
        certainty = 1.0 / relations;
      } else if (known_.empty()) {
        const double nobodys = std::max(0.0, 1 - std::accumulate(mean, mean + relations, 0.0));
        certainty += nobodys * result_.relations[strongest].edges / in_relations;
      }
      result_.certainty[edge] = static_cast<float>(std::clamp(certainty, 0.0, 1.0));
    }
  }

  const RelationGraph& graph_;
  DisentangleOptions options_;
  const KnownEdges& known_;
  const std::vector<NodeAttribute>& attributes_;
  Session session_;
  Links links_;  // of the graph that is fitted
  RelationGraph sided_graph_;
  const RelationGraph* fitted_ = &graph_;  // or the one of two sides
  Effort effort_;
  Selection selection_;
  Classes told_;  // what one relation's groups are described by, where an attribute is
  Model model_;
  std::vector<float> shares_, mean_shares_, learnt_;  // [E, columns of the model], the last [E, relations known]
  std::vector<double> stability_;
  double choosing_ = 0;  // share of all work that choosing sizes is
  bool by_scale_ = false;
  std::vector<int> order_;  // the model's column of each relation
  Disentangled result_;
};

}  // namespace
}  // namespace relations

Disentangled disentangle(const RelationGraph& graph, const DisentangleOptions& options, const KnownEdges& known,
                         const std::vector<NodeAttribute>& attributes, RelationsObserver& observer) {
  relations::check_disentangle_options(options);
  check_relation_graph(graph);
  check_known_edges(known, graph);
  check_attributes(attributes, graph);
  return relations::Disentangler(graph, options, known, attributes, observer).run();
}

Disentangled disentangle(const RelationGraph& graph, const DisentangleOptions& options) {
  RelationsObserver nobody;
  return disentangle(graph, options, {}, {}, nobody);
}

}  // namespace factorgcn
